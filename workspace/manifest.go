package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

// manifest is what lies below a directory that is moved or deleted as a whole:
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
		out = append(out, tool.Target{Domain: "edit", Object: base.childObject(e.rel)})
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
