package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// What was seen is there in the next process, the last word of each file, also where a
// kill or a full disk has torn a line: that file alone has to be read again.
func TestSeenLasts(t *testing.T) {
	folder := t.TempDir()
	disk := &durable.Disk{}
	s := newReadSet(disk, folder)
	s.set("/a", "1")
	s.set("/a", "2")
	s.set("/b/x", "3")
	s.set("/c", "4")
	s.set("/c", "")
	s.moved(func(key string) (string, bool) {
		return "/d" + strings.TrimPrefix(key, "/b"), strings.HasPrefix(key, "/b")
	})
	all := func() map[string]string {
		s := newReadSet(disk, folder)
		s.hash("")
		return s.hashes
	}
	want := map[string]string{"/a": "2", "/d/x": "3"}
	if diff := cmp.Diff(want, all()); diff != "" {
		t.Error(diff)
	}
	text, err := os.ReadFile(s.file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.file, append(text, "\n{\"key\":\"/e\",\"ha"...), 0o600); err != nil { // a kill in the middle
		t.Fatal(err)
	}
	disk.Fail(func(durable.Op, string) error { return errors.New("full") })
	s.set("/f", "5") // counts in this process
	disk.Fail(nil)
	s.set("/g", "6")
	if s.hash("/f") != "5" {
		t.Error("what cannot be written is not remembered")
	}
	want["/g"] = "6"
	if diff := cmp.Diff(want, all()); diff != "" {
		t.Error(diff)
	}
}

// The file is not longer than what it says; without a folder there is none.
func TestSeenStaysShort(t *testing.T) {
	folder := t.TempDir()
	s := newReadSet(nil, folder)
	for i := range 3000 {
		s.set("/a", fmt.Sprint(i))
	}
	if again := newReadSet(nil, folder); again.hash("/a") != "2999" {
		t.Errorf("%q", again.hash("/a"))
	}
	if info, err := os.Stat(filepath.Join(folder, readSetFile)); err != nil || info.Size() > 100 {
		t.Error(info, err)
	}
	if s := newReadSet(nil, ""); s.hash("/a") != "" || s.file != "" {
		t.Errorf("%+v", s)
	}
	gone := newReadSet(nil, filepath.Join(folder, "gone")) // the session was deleted meanwhile
	if gone.set("/a", "1"); gone.hash("/a") != "1" {
		t.Error("not remembered")
	}
}
