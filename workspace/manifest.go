package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

// manifest is what is below a directory that is moved or deleted as a whole:
// every entry is a target to judge, and none may differ when it is done.
type manifest struct {
	base    Path
	entries []manifestEntry // parents before children
	hash    string
}

type manifestEntry struct {
	rel  string // with slashes
	info fs.FileInfo
}

const (
	manifestEntries = 2000
	manifestBytes   = 256 << 20 // of all files together: they are kept
)

// names are the paths of the entries, from the directory itself; nil has none.
func (m *manifest) names() []string {
	if m == nil {
		return nil
	}
	out := make([]string, len(m.entries))
	for i, e := range m.entries {
		out[i] = e.rel
	}
	return out
}

// newManifest lists the directory p without following anything. It refuses what
// cannot be named and kept whole.
func (d *documents) newManifest(p Path) (manifest, error) {
	m := manifest{base: p}
	if dirty := d.buffers.dirtyBelow(p); len(dirty) > 0 {
		return m, fmt.Errorf("%s has %d files with unsaved changes in the editor; ask the user to save them", p, len(dirty))
	}
	dir, err := p.openDir()
	if err != nil {
		return m, fmt.Errorf("%s: %w", p, err)
	}
	defer dir.Close()
	sum := sha256.New()
	total := int64(0)
	err = fs.WalkDir(durable.Tree(dir), ".", func(rel string, e fs.DirEntry, err error) error {
		if err != nil || rel == "." {
			return err
		}
		fi, err := e.Info()
		if err != nil {
			return err
		}
		if !utf8.ValidString(rel) {
			return fmt.Errorf("contains a name that is no text (%q); use bash", rel)
		}
		if len(m.entries) == manifestEntries {
			return fmt.Errorf("has more than %d entries; use bash", manifestEntries)
		}
		if fi.Mode().IsRegular() {
			total += fi.Size()
			if fi.Size() > maxChangeBytes || total > manifestBytes {
				return errors.New("is too large to keep a copy of; use bash")
			}
		} else if kind := openat.KindOf(fi); !fi.IsDir() && fi.Mode()&fs.ModeSymlink == 0 {
			return fmt.Errorf("contains %s (%s)", kind, rel)
		}
		child, err := d.locate(filepath.Join(p.abs, filepath.FromSlash(rel)), false)
		if err == nil {
			err = child.visible()
		}
		if err != nil {
			return err
		}
		m.entries = append(m.entries, manifestEntry{rel, fi})
		fmt.Fprintf(sum, "%s\x00%s\x00", rel, fi.Mode())
		if !fi.IsDir() {
			fmt.Fprintf(sum, "%d\x00%d\x00", fi.Size(), fi.ModTime().UnixNano())
		}
		return nil
	})
	m.hash = hex.EncodeToString(sum.Sum(nil))
	if err != nil {
		return m, fmt.Errorf("%s: %w", p, openat.Plain(err))
	}
	return m, nil
}

// targets are all entries, as they would be named below base.
func (m manifest) targets(base Path) []tool.Target {
	var out []tool.Target
	for _, e := range m.entries {
		out = append(out, tool.Target{Domain: tool.DomainEdit, Object: base.childObject(e.rel)})
	}
	return out
}

// unchanged makes sure that the directory is still what was judged.
func (d *documents) unchanged(m manifest) error {
	if err := d.again(m.base); err != nil {
		return err
	}
	now, err := d.newManifest(m.base)
	if err != nil {
		return err
	}
	if now.hash != m.hash {
		return errors.New("the directory changed since the call was approved; nothing was done")
	}
	return nil
}

// summary is what a person sees of it.
func (m manifest) summary() string {
	const shown = 100
	var b strings.Builder
	for i, e := range m.entries {
		if i == shown {
			fmt.Fprintf(&b, "… and %d more\n", len(m.entries)-shown)
			break
		}
		name := pathname.Printable(m.base.child(e.rel))
		if e.info.IsDir() {
			name += "/"
		}
		fmt.Fprintln(&b, name)
	}
	return b.String()
}

// notAFolder refuses a path that is, or holds, a folder of the editor.
func (w *places) notAFolder(p Path) error {
	for _, r := range w.Roots() {
		if _, in := pathname.Below(p.abs, r); in {
			return fmt.Errorf("%s is or contains an open folder of the editor", p)
		}
	}
	return nil
}

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

// free makes sure that nothing is at the new path.
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
