package artifact

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/workspace/walk"
)

// room is a store over a folder and a home on the disk.
type room struct {
	t    *testing.T
	v    *Store
	root string
}

// folder is the only folder of a workspace.
type folder string

func (f folder) First(do func(dir *os.Root, abs string) error) error {
	dir, err := os.OpenRoot(string(f))
	if err != nil {
		return err
	}
	defer dir.Close()
	return do(dir, string(f))
}

func (f folder) Abs(path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = walk.Text(string(f), path)
	}
	to, err := walk.To(path, true)
	return to.Abs, err
}

// newRoom makes a store whose folder holds files (name → content; a name that ends with /
// is a directory, content "-> x" is a link to x).
func newRoom(t *testing.T, files map[string]string) *room {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &room{t: t, root: filepath.Join(top, "vault")}
	if err := os.MkdirAll(r.root, 0o755); err != nil {
		t.Fatal(err)
	}
	r.put(files)
	r.v = New(nil, folder(r.root), ".agent-output", filepath.Join(top, "home", "artifacts"))
	return r
}

func (r *room) put(files map[string]string) {
	r.t.Helper()
	for name, content := range files {
		at := filepath.Join(r.root, name)
		err := os.MkdirAll(filepath.Dir(at), 0o755)
		if err == nil {
			if to, link := strings.CutPrefix(content, "-> "); link {
				err = os.Symlink(to, at)
			} else if strings.HasSuffix(name, "/") {
				err = os.MkdirAll(at, 0o755)
			} else {
				err = os.WriteFile(at, []byte(content), 0o644)
			}
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r *room) file(name string) string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.root, name))
	if err != nil {
		return "!" + err.Error()
	}
	return string(data)
}
