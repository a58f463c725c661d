package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

// relocation is a checked call of move.
type relocation struct {
	from, to Path
	was      snapshot // of a file
	info     fs.FileInfo
	below    *manifest // of a directory
	// repository says that it was judged as a change in a directory that git obeys.
	repository bool
}

// preview is a diff that renames, as git writes one; of a directory it is what goes
// with it.
func (r relocation) preview() tool.Preview {
	from, to := pathname.Printable(r.from.Display()), pathname.Printable(r.to.Display())
	if r.below != nil {
		return tool.Preview{Kind: "text", Text: from + "\n→ " + to + "\nwith\n" + r.below.summary()}
	}
	from, to = diffName(r.from), diffName(r.to)
	return tool.Preview{
		Kind: "diff", Places: []tool.Place{{URI: r.from.URI()}}, Files: []tool.Compared{movedFile(r.to, textOrNote(r.was.data), textOrNote(r.was.data))},
		Text: fmt.Sprintf("diff --git a/%s b/%s\nsimilarity index 100%%\nrename from %s\nrename to %s\n", from, to, from, to),
	}
}

// free makes sure that nothing lies at the new path.
func (r relocation) free() error {
	fi, err := r.to.lstat()
	switch {
	case isMissing(err):
		return nil
	case err == nil && r.sameEntry(fi):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", r.to, err)
	case fi.IsDir():
		return fmt.Errorf("%s is a directory; give the whole new path", r.to)
	}
	return fmt.Errorf("%s exists already; nothing is overwritten", r.to)
}

// sameEntry says that only upper and lower case differ on a system for which they
// are one: then the name that is there is the file itself.
func (r relocation) sameEntry(to fs.FileInfo) bool {
	if r.from.abs == r.to.abs || r.from.key() != r.to.key() {
		return false
	}
	from, err := r.from.lstat()
	return err == nil && os.SameFile(from, to)
}

// rename moves the entry. A file goes to another folder by writing it there
// first.
func (r relocation) rename() error {
	if err := r.to.makeParents(); err != nil {
		return err
	}
	for _, p := range []Path{r.from, r.to} { // both directories are still what they were
		dir, _, err := p.parent()
		if err != nil {
			return err
		}
		dir.Close()
	}
	if r.from.root != r.to.root {
		return r.carry()
	}
	link, rename := os.Link, os.Rename
	from, to := r.from.abs, r.to.abs
	if root := r.from.root; root != nil {
		link, rename = root.Dir.Link, root.Dir.Rename
		from, to = filepath.FromSlash(r.from.rel), filepath.FromSlash(r.to.rel)
	}
	at := func(op durable.Op, do func(from, to string) error) error {
		return r.to.disk.Do(op, r.to.abs, func() error { return do(from, to) })
	}
	if r.was.exists && at(durable.OpCreate, link) == nil { // refuses an existing name; rename would overwrite it
		r.to.syncParent()
		return r.leave()
	}
	if err := r.free(); err != nil {
		return err
	}
	switch err := at(durable.OpRename, rename); {
	case errors.Is(err, syscall.EXDEV) && r.was.exists:
		return r.carry()
	case errors.Is(err, syscall.EXDEV):
		return errors.New("the new path is on another device; use bash")
	case err != nil:
		return openat.Plain(err)
	}
	r.to.syncParent()
	r.from.syncParent()
	return nil
}

// carry writes the file at its new path, where a name cannot simply move: to
// another folder or device. Its mode goes with it.
func (r relocation) carry() error {
	if err := r.to.replace(snapshot{info: r.was.info}, r.was.data); err != nil {
		return err
	}
	return r.leave()
}

// leave removes the old name, unless another file has it by now. Where that cannot be,
// the new one goes again: a file is never in two places.
func (r relocation) leave() error {
	err := r.from.removeSeen(r.was)
	if err != nil {
		err = errors.Join(err, r.to.remove())
	}
	return err
}
