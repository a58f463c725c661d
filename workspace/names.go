package workspace

import (
	"cmp"
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/search"
)

const (
	namesTime  = time.Second
	namesFound = 20_000 // of which the nearest are given
)

// NamesLike are files and directories for a person who types a part of a path: those with it in
// them, in any case, the nearest first, directories with a slash at the end. At most so many
// are given, each as tools take it. What git ignores and what cannot be shown is left out. It
// ends with ctx or after a second, with what it has found.
func (w *places) NamesLike(ctx context.Context, part string, most int) []string {
	ctx, stop := context.WithTimeout(ctx, namesTime)
	defer stop()
	found := nearNames{part: strings.ToLower(part), seen: map[string]bool{}}
	for _, root := range w.Roots() {
		if p, err := w.Path(root); err == nil {
			w.eachName(ctx, p, func(rel string) { found.add(p, rel) })
		}
	}
	return found.nearest(most)
}

// eachName visits every file below a folder, from several goroutines at once.
func (w *places) eachName(ctx context.Context, p Path, visit func(rel string)) {
	rules, free := w.rulesFor(p)
	walk := search.NewWalk(search.Directory{
		Base: p.abs, Rules: rules, Free: free,
		Asked: func(string, string, fs.FileMode) bool { return false }, // the person may know what is there
	})
	_ = walk.Run(ctx, func(f search.Found) error { // a part is better than nothing
		visit(f.Rel)
		return nil
	})
}

// nearNames picks what fits a part of a path.
type nearNames struct {
	part string

	mu   sync.Mutex // guards what is below
	seen map[string]bool
	fits []nearName
}

type nearName struct {
	name string
	far  int
}

// add takes a file of a folder and the directories that it is in there.
func (n *nearNames) add(folder Path, rel string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.take(folder.child(rel))
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		name := folder.child(dir) + "/"
		if n.seen[name] {
			return
		}
		n.seen[name] = true
		n.take(name)
	}
}

func (n *nearNames) take(name string) {
	far := n.far(strings.ToLower(name))
	if far >= 0 && len(n.fits) < namesFound && pathname.Printable(name) == name {
		n.fits = append(n.fits, nearName{name, far})
	}
}

// far is how far a path is from the part that was typed, -1 where it does not fit.
func (n *nearNames) far(name string) int {
	switch base := path.Base(name); {
	case strings.HasPrefix(name, n.part) && n.part != "":
		return 0
	case strings.HasPrefix(base, n.part):
		return 1
	case strings.Contains(base, n.part):
		return 2
	case strings.Contains(name, n.part):
		return 3
	}
	return -1
}

func (n *nearNames) nearest(most int) []string {
	slices.SortFunc(n.fits, func(a, b nearName) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(strings.Count(a.name, "/"), strings.Count(b.name, "/")), cmp.Compare(a.name, b.name))
	})
	out := make([]string, 0, min(most, len(n.fits)))
	for _, f := range n.fits[:min(most, len(n.fits))] {
		out = append(out, f.name)
	}
	return out
}
