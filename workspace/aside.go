package workspace

import (
	"os"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
)

// aside is a second name of a file that is about to change, so that it can come
// back where there is no room to write it again. The zero aside is none.
type aside struct {
	path Path
	name string
}

// setAside gives p a second name beside it. Where that cannot be had there is
// none: it is only the second way back.
func (p Path) setAside() aside {
	dir, base, err := p.parent()
	if err != nil {
		return aside{}
	}
	defer dir.Close()
	a := aside{p, openat.TempName()}
	abs := filepath.Join(filepath.Dir(p.abs), a.name)
	if p.disk.Do(durable.OpCreate, abs, func() error { return dir.Link(base, a.name) }) != nil {
		return aside{}
	}
	return a
}

// restore lets the file have its own name again, in the place of what is there.
func (a aside) restore() error {
	return a.in(func(w openat.Writer, base string) error {
		return w.Disk.Do(durable.OpRename, a.path.abs, func() error { return w.Dir.Rename(a.name, base) })
	})
}

// drop takes the second name away.
func (a aside) drop() {
	_ = a.in(func(w openat.Writer, _ string) error { w.Drop(a.name); return nil })
}

func (a aside) in(do func(w openat.Writer, base string) error) error {
	if a.name == "" {
		return os.ErrNotExist
	}
	dir, base, err := a.path.parent()
	if err != nil {
		return err
	}
	defer dir.Close()
	w := a.path.writer(dir)
	if err := do(w.Writer, base); err != nil {
		return openat.Plain(err)
	}
	w.Sync()
	return nil
}
