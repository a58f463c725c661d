package workspace

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// This is no test but what another process does for the one below: the test binary
// starts itself with VAULT_TEST_TOP. It edits one file again and again, reads it again
// where somebody else was there before it, takes every second edit back, and notes which
// of its lines are to be found there and which are not.
func TestEditorProcess(t *testing.T) {
	top, who := os.Getenv("VAULT_TEST_TOP"), os.Getenv("VAULT_TEST_WHO")
	if top == "" {
		t.Skip("runs inside another test")
	}
	r := &room{t: t, root: filepath.Join(top, "vault")}
	var err error
	if r.v, err = Open([]Folder{{Path: r.root}}, Options{Home: filepath.Join(top, "home-"+who)}); err != nil {
		t.Fatal(err)
	}
	defer r.v.Close()
	r.tools = tool.NewSet(r.v.Tools("s")...)
	var notes strings.Builder
	for n := 0; n < editsEach; {
		line := fmt.Sprintf("%s-%d\n", who, n)
		r.run("read", "path", "f")
		res := r.run("edit", "path", "f", "old", "end "+who+"\n", "new", line+"end "+who+"\n")
		switch {
		case !res.Failed:
		case strings.Contains(res.Text, "changed since"), strings.Contains(res.Text, "was not read"): // it was replaced while it was opened
			continue
		default:
			t.Fatal(res.Text)
		}
		sign := "+"
		if n++; n%2 == 0 {
			done, conflicts, err := r.v.Undo(t.Context(), res.Changes, true, false, func(tool.Change) error { return nil })
			if err != nil || len(done)+len(conflicts) != 1 {
				t.Fatal(done, conflicts, err)
			}
			if len(done) == 1 {
				sign = "-"
			}
		}
		notes.WriteString(sign + line)
	}
	if err := os.WriteFile(filepath.Join(top, "notes-"+who), []byte(notes.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

const editsEach = 100

// Two sidecars edit one file and undo their edits at the same moment: what one of them
// was told that it had done is done, and nothing that the other has written is lost.
func TestTwoProcessesOnOneFile(t *testing.T) {
	r := newRoom(t, map[string]string{"f": "end a\n1\n2\n3\n4\n5\nend b\n"})
	top := filepath.Dir(r.root)
	var wg sync.WaitGroup
	for _, who := range []string{"a", "b"} {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run", "^TestEditorProcess$")
			cmd.Env = append(os.Environ(), "VAULT_TEST_TOP="+top, "VAULT_TEST_WHO="+who)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	text, back := "\n"+r.file("f"), 0
	for _, who := range []string{"a", "b"} {
		notes, err := os.ReadFile(filepath.Join(top, "notes-"+who))
		if err != nil {
			t.Fatal(err)
		}
		for note := range strings.Lines(string(notes)) {
			if there := strings.Contains(text, "\n"+note[1:]); there != (note[0] == '+') {
				t.Errorf("%q: is it in the file? %v", note, there)
			} else if !there {
				back++
			}
		}
	}
	if back == 0 {
		t.Error("nothing was undone")
	}
}
