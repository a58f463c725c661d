package search

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/charlievieth/fastwalk"
)

// Walk goes through the files below a directory in parallel, without
// following links, and leaves out what git ignores, what `.agentignore` hides,
// `.git` itself, and files that a person would be asked about.
type Walk struct {
	// Wants picks files by their path from the base; nil means all. What it
	// does not pick is not counted as left out either.
	Wants func(rel string) bool
	// Past says of a file, or of a directory and all below it, that it need not be looked
	// at any more; nil: of none.
	Past func(rel string, dir bool) bool

	in    Directory
	above int // length of the part of absolute paths that base and a separator are

	mu    sync.RWMutex      // guards everything below
	rules map[string]*Rules // by the directory they are in
	skips Skips
}

// Directory is where a walk begins, and what is left out below it.
type Directory struct {
	Base    string // absolute
	Rules   *Rules // those that apply in it
	Free    bool   // git's rules do not apply
	Outside bool   // of every folder of the editor: .agentignore does not count there
	// Asked says that a person would be asked about a file: rel is its path from the
	// base. It is called from several goroutines at once.
	Asked func(rel, abs string, mode fs.FileMode) bool
}

// Skips counts what a search left out.
type Skips struct {
	Sensitive, Binary, Large, Unreadable int
}

// Found is one file or link below the base.
type Found struct {
	Rel   string // from the base, with slashes
	Abs   string
	Entry fs.DirEntry
}

// NewWalk is a walk through all files below a directory.
func NewWalk(in Directory) *Walk {
	top := strings.TrimSuffix(in.Base, string(filepath.Separator))
	return &Walk{in: in, above: len(top) + 1, rules: map[string]*Rules{in.Base: in.Rules}}
}

// Run calls visit for every file and link, from several goroutines at once,
// which have all ended when it returns. It stops early with ctx's error.
func (w *Walk) Run(ctx context.Context, visit func(Found) error) error {
	return fastwalk.Walk(&fastwalk.Config{NumWorkers: max(2, runtime.GOMAXPROCS(0))}, w.in.Base, func(path string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			w.Count(func(s *Skips) { s.Unreadable++ })
			return nil
		}
		if path == w.in.Base {
			return nil
		}
		rel := filepath.ToSlash(path[w.above:])
		if !e.IsDir() && w.Wants != nil && !w.Wants(rel) { // the cheapest question first
			return nil
		}
		if w.Past != nil && w.Past(rel, e.IsDir()) {
			return left(e)
		}
		rules := w.rulesOf(path)
		if w.skip(rules, path, e.IsDir()) {
			return left(e)
		}
		if e.IsDir() {
			w.enter(rules, path)
			return nil
		}
		if w.in.Asked(rel, path, e.Type()) {
			w.Count(func(s *Skips) { s.Sensitive++ })
			return nil
		}
		return visit(Found{rel, path, e})
	})
}

// left is what leaves e out, with what is below it.
func left(e fs.DirEntry) error {
	if e.IsDir() {
		return fs.SkipDir
	}
	return nil
}

func (w *Walk) skip(rules *Rules, path string, dir bool) bool {
	ignored, hidden := rules.Ignored(path, dir)
	return hidden || !w.in.Free && (ignored || strings.HasSuffix(path, string(filepath.Separator)+".git"))
}

// rulesOf are those of the nearest directory above path that has some of its own,
// or of the base.
func (w *Walk) rulesOf(path string) *Rules {
	w.mu.RLock()
	defer w.mu.RUnlock()
	for len(path) > w.above {
		path = path[:strings.LastIndexByte(path, filepath.Separator)]
		if rules, ok := w.rules[path]; ok {
			return rules
		}
	}
	return w.rules[w.in.Base]
}

func (w *Walk) enter(rules *Rules, dir string) {
	next := rules.Enter(dir, !w.in.Outside)
	if next == rules {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rules[dir] = next
}

// Count adds to what was left out.
func (w *Walk) Count(add func(*Skips)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	add(&w.skips)
}

// Skips is what was left out so far.
func (w *Walk) Skips() Skips {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.skips
}

// Notes says what was left out, in the words that rules use.
func (s Skips) Notes() []string {
	var out []string
	add := func(n int, one, many string) {
		if n == 1 {
			out = append(out, "1 "+one+" skipped")
		} else if n > 1 {
			out = append(out, fmt.Sprintf("%d %s skipped", n, many))
		}
	}
	add(s.Sensitive, "sensitive file", "sensitive files")
	add(s.Binary, "binary file", "binary files")
	add(s.Large, "file over 10 MB", "files over 10 MB")
	add(s.Unreadable, "unreadable entry", "unreadable entries")
	return out
}
