package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/search"
	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
)

// newWalk is a walk through what tools see below the directory base.
func (d *toolset) newWalk(base Path) *search.Walk {
	rules, free := d.v.rulesFor(base)
	asks := d.asks(base.Object())
	return search.NewWalk(search.Directory{
		Base: base.abs, Rules: rules, Free: free, Outside: base.root == nil,
		Asked: func(rel, abs string, mode fs.FileMode) bool { return asks.below(base, rel, abs, mode) },
	})
}

// asks tells which files a person would be asked about, as of its making.
type asks struct {
	in    *places
	of    func(object string) bool
	twins func() map[openat.Inode][]string // protected files with several names, once one has some
	links func() []shields.LinkedName      // protected names that lead elsewhere

	looked *atomic.Int32 // files that were asked how many names they have
}

// twinsAfter is how many files are asked how many names they have before it is cheaper to
// find out whether a protected one has several.
const twinsAfter = 5000

// asks is made for a search of the directory base, "" for none.
func (d *toolset) asks(base string) asks {
	return newAsks(d.v, d.sensitive(base))
}

func newAsks(v *Vault, of func(object string) bool) asks {
	return asks{v.places, of, sync.OnceValue(v.shields.ProtectedTwins), sync.OnceValue(v.shields.TopLinks), &atomic.Int32{}}
}

// below asks about the file rel below base; a link also by where it leads.
func (a asks) below(base Path, rel, abs string, mode fs.FileMode) bool {
	if mode&fs.ModeSymlink == 0 {
		return a.of(base.childObject(rel)) || mode.IsRegular() && (a.twin(abs) || a.linked(abs))
	}
	p, err := a.in.locate(abs, true)
	if err != nil {
		return false // a circle: its name says nothing
	}
	return slices.ContainsFunc(p.Objects(), a.of)
}

// twin says that a file has another name which would be asked about.
func (a asks) twin(abs string) bool {
	if a.looked.Add(1) > twinsAfter && len(a.twins()) == 0 {
		return false
	}
	info, err := os.Lstat(abs)
	return err == nil && openat.LinkCount(info) > 1 && slices.ContainsFunc(a.in.shields.TwinsOf(a.twins(), abs, info), a.of)
}

// linked says that a link with a name that would be asked about leads there.
func (a asks) linked(abs string) bool {
	return slices.ContainsFunc(a.links(), func(l shields.LinkedName) bool {
		rel, in := pathname.Below(l.At, abs)
		if !in {
			return false
		}
		return a.of(a.in.folders.Now().Object(filepath.Join(l.As, rel)))
	})
}

// missing says that p does not exist, with up to three names like it from the
// nearest directory that does.
func (d *toolset) missing(p Path) error {
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
func (d *toolset) similar(dir Path, want string) []string {
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
