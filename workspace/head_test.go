//go:build unix

package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A repository can bring its own AGENTS.md, so that may be anything.
func TestHead(t *testing.T) {
	for _, row := range []struct {
		name string
		make func(path string) error
		want string
		cut  bool
		fail string
	}{
		{"short", func(p string) error { return os.WriteFile(p, []byte("be kind"), 0o600) }, "be kind", false, ""},
		{"long", func(p string) error { return os.WriteFile(p, []byte(strings.Repeat("x", 100)), 0o600) }, strings.Repeat("x", 10), true, ""},
		{"missing", func(string) error { return nil }, "", false, "does not exist"},
		{"link to a secret inside", func(p string) error { return os.Symlink(".env", p) }, "", false, "link"},
		{"link out", func(p string) error { return os.Symlink("/etc/passwd", p) }, "", false, "link"},
		{"named pipe", func(p string) error { return syscall.Mkfifo(p, 0o600) }, "", false, "named pipe"},
		{"directory", func(p string) error { return os.Mkdir(p, 0o700) }, "", false, "directory"},
	} {
		r := newRoom(t, map[string]string{".env": "KEY=1"})
		if err := row.make(filepath.Join(r.v.Root(), "AGENTS.md")); err != nil {
			t.Fatal(err)
		}
		head, cut, err := r.v.Head("AGENTS.md", 10)
		if row.fail == "" && err != nil || row.fail != "" && err == nil || string(head) != row.want || cut != row.cut {
			t.Errorf("%s: %q %v %v", row.name, head, cut, err)
		}
	}
}
