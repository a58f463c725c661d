package workspace

import (
	"os"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
)

// backupLink is a second name of a file that is about to change, so that it can come
// back where there is no room to write it again. The zero backupLink is none.
type backupLink struct {
	path Path
	name string
}

// linkBackup gives p a second name beside it. Where that cannot be had there is
// none: it is only the second way back.
func (p Path) linkBackup() backupLink {
	dir, base, err := p.parent()
	if err != nil {
		return backupLink{}
	}
	defer dir.Close()
	a := backupLink{p, openat.TempName()}
	abs := filepath.Join(filepath.Dir(p.abs), a.name)
	if p.disk.Do(durable.OpCreate, abs, func() error { return dir.Link(base, a.name) }) != nil {
		return backupLink{}
	}
	return a
}

// restore lets the file have its own name again, in the place of what is there.
func (a backupLink) restore() error {
	return a.in(func(w openat.Writer, base string) error {
		return w.Disk.Do(durable.OpRename, a.path.abs, func() error { return w.Dir.Rename(a.name, base) })
	})
}

// drop takes the second name away.
func (a backupLink) drop() {
	_ = a.in(func(w openat.Writer, _ string) error { w.Drop(a.name); return nil })
}

func (a backupLink) in(do func(w openat.Writer, base string) error) error {
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
