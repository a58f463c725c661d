package workspace

import (
	"context"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/charlievieth/fastwalk"
)

// walker goes through the files below a directory in parallel, without
// following links, and leaves out what git ignores, what `.agentignore` hides,
// `.git` itself, and files that a person would be asked about.
type walker struct {
	asks asks
	base Path
	free bool // git's rules do not hold
	// wants picks files by their path from the base; nil means all. What it
	// does not pick is not counted as left out either.
	wants func(rel string) bool

	above int // length of the part of absolute paths that base and a separator are

	mu    sync.RWMutex            // guards everything below
	rules map[string]*ignoreRules // by the directory they lie in
	skips skips
}

// skips counts what a search left out.
type skips struct {
	sensitive, binary, large, unreadable int
}

// found is one file or link below the base.
type found struct {
	rel   string // from the base, with slashes
	abs   string
	entry fs.DirEntry
}

func (d *desk) newWalker(base Path) *walker {
	rules, free := d.v.rulesFor(base)
	top := strings.TrimSuffix(base.abs, string(filepath.Separator))
	return &walker{asks: d.asks(base.Object()), base: base, free: free, above: len(top) + 1, rules: map[string]*ignoreRules{base.abs: rules}}
}

// run calls visit for every file and link, from several goroutines at once,
// which have all ended when it returns. It stops early with ctx's error.
func (w *walker) run(ctx context.Context, visit func(found) error) error {
	return fastwalk.Walk(&fastwalk.Config{NumWorkers: max(2, runtime.GOMAXPROCS(0))}, w.base.abs, func(path string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			w.count(func(s *skips) { s.unreadable++ })
			return nil
		}
		if path == w.base.abs {
			return nil
		}
		rel := filepath.ToSlash(path[w.above:])
		if !e.IsDir() && w.wants != nil && !w.wants(rel) { // the cheapest question first
			return nil
		}
		rules := w.rulesOf(path)
		if w.skip(rules, path, e.IsDir()) {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if e.IsDir() {
			w.enter(rules, path)
			return nil
		}
		if w.sensitive(rel, path, e.Type()) {
			w.count(func(s *skips) { s.sensitive++ })
			return nil
		}
		return visit(found{rel, path, e})
	})
}

func (w *walker) skip(rules *ignoreRules, path string, dir bool) bool {
	ignored, hidden := rules.ignored(path, dir)
	return hidden || !w.free && (ignored || strings.HasSuffix(path, string(filepath.Separator)+".git"))
}

// rulesOf are those of the nearest directory above path that has some of its own,
// or of the base.
func (w *walker) rulesOf(path string) *ignoreRules {
	w.mu.RLock()
	defer w.mu.RUnlock()
	for len(path) > w.above {
		path = path[:strings.LastIndexByte(path, filepath.Separator)]
		if rules, ok := w.rules[path]; ok {
			return rules
		}
	}
	return w.rules[w.base.abs]
}

func (w *walker) enter(rules *ignoreRules, dir string) {
	next := rules.enter(dir, w.base.root != nil)
	if next == rules {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rules[dir] = next
}

func (w *walker) count(add func(*skips)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	add(&w.skips)
}

func (w *walker) sensitive(rel, abs string, mode fs.FileMode) bool {
	return w.asks.below(w.base, rel, abs, mode)
}

// asks tells which files a person would be asked about, as of its making.
type asks struct {
	v  *Vault
	of func(object string) bool
}

// asks is made for a search of the directory base, "" for none.
func (d *desk) asks(base string) asks { return asks{d.v, d.v.sensitiveTo(d.session, base)} }

// below asks about the file rel below base; a link also by where it leads.
func (a asks) below(base Path, rel, abs string, mode fs.FileMode) bool {
	if mode&fs.ModeSymlink == 0 {
		return a.of(base.childObject(rel))
	}
	p, err := a.v.locate(abs, true)
	if err != nil {
		return false // a circle: its name says nothing
	}
	return slices.ContainsFunc(p.objects, a.of)
}

// childObject names what lies at rel below the directory p.
func (p Path) childObject(rel string) string {
	return strings.TrimSuffix(p.Object(), "/") + "/" + rel
}

// child shows what lies at rel below the directory p, as Display would.
func (p Path) child(rel string) string {
	switch {
	case p.root == nil || !p.root.first:
		return filepath.Join(p.abs, filepath.FromSlash(rel))
	case p.rel == ".":
		return rel
	}
	return p.rel + "/" + rel
}
