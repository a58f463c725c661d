package artifact

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A fork keeps what it names when the session that wrote it is gone, and nothing
// else of it.
func TestCopy(t *testing.T) {
	r := newRoom(t, nil)
	ref, full := keep(t, r.v, "0001", "bash", "c1", "", "a\nb\n")
	_, other := keep(t, r.v, "0001", "bash", "c2", "", "not named")
	gone := "20260101T000000Z_bash_c3_0a1b2c3d.txt"
	if err := r.v.Copy("0001", "0002", []string{filepath.Base(full), gone, "../../a.txt", "/etc/passwd", ".gitignore"}); err != nil {
		t.Fatal(err)
	}
	if err := r.v.RemoveSession("0001"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{ref.ArtifactID, "agent-artifact:/0002/" + filepath.Base(full), ".agent-output/0002/" + filepath.Base(full)} {
		if got, _, of, err := r.v.Find(name); err != nil || got.SHA256 != ref.SHA256 || of != "0002" {
			t.Errorf("%s: %+v of %s, %v", name, got, of, err)
		}
	}
	list, err := r.v.List("0002")
	if err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	if exists(full) || exists(other) {
		t.Error("the other's are still there")
	}
	if err := r.v.Copy("0009", "0003", []string{filepath.Base(full)}); err != nil {
		t.Error(err)
	}
	// A link in place of the other's folder, or of a file in it, leads nowhere.
	_, secret := keep(t, r.v, "0004", "bash", "c1", "", "x")
	if err := os.Remove(secret); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		t.Skip("not run: links need rights")
	}
	if err := os.Symlink("/etc/passwd", secret); err != nil {
		t.Fatal(err)
	}
	if err := r.v.Copy("0004", "0005", []string{filepath.Base(secret)}); err == nil {
		t.Error("a link was followed")
	}
}
