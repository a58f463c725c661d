package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/search"
)

// missing says that p does not exist, with up to three names like it from the
// nearest directory that does.
func (d *desk) missing(p Path) error {
	dir := filepath.Dir(p.abs)
	want := filepath.Base(p.abs)
	for {
		if fi, err := os.Lstat(dir); err == nil && fi.IsDir() || dir == filepath.Dir(dir) {
			break
		}
		want, dir = filepath.Base(dir), filepath.Dir(dir)
	}
	q, err := d.v.locate(dir, true)
	if err != nil {
		return fmt.Errorf("%s does not exist", p)
	}
	names := d.similar(q, want)
	if len(names) == 0 {
		return fmt.Errorf("%s does not exist", p)
	}
	return fmt.Errorf("%s does not exist; similar: %s", p, strings.Join(names, ", "))
}

// similar lists at most three entries of dir whose names are like want. Names
// that a person would be asked about, or that are hidden, are not told, and
// nothing is told about other directories than those of the Vault.
func (d *desk) similar(dir Path, want string) []string {
	if dir.root == nil {
		return nil
	}
	h, err := dir.openDir()
	if err != nil {
		return nil
	}
	defer h.Close()
	f, err := h.Open(".")
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(5000)
	asks := d.asks("")
	var out []string
	for _, name := range search.Similar(want, entries, func(e fs.DirEntry) bool {
		abs := filepath.Join(dir.abs, e.Name())
		if asks.below(dir, e.Name(), abs, e.Type()) {
			return false
		}
		q, err := d.v.locate(abs, false)
		return err == nil && q.visible() == nil
	}) {
		out = append(out, pathname.Printable(dir.child(name)))
	}
	return out
}
