package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// What a command changed is found by looking at every file before and behind it:
// size, times and inode of at most 20,000 files that git does not ignore
// (workspace §5). A look at a tree that was looked at before reuses what did not
// change, so that it costs little more than asking the system about each file.
const trackedFiles = 20_000

// lookTime bounds a look on a slow disk: what is further down is not followed then.
const lookTime = time.Second

// stamp is what the system says of a file without reading it: as long as it is the
// same the content is, too.
type stamp struct {
	size          int64
	mtime, ctime  int64 // in nanoseconds; ctime 0 where the system has none
	device, inode uint64
	mode          fs.FileMode
}

// sighting is one file or link as a look found it. Looks share it while it is the same.
type sighting struct {
	stamp stamp
	held  kept // what it holds, where that was read; guarded by tracks.mu
}

// dirView is one directory as a look found it.
type dirView struct {
	stamp stamp // of the directory itself
	asOf  int64 // when it was read, in Unix nanoseconds
	above *ignoreRules
	rules *ignoreRules // above's and its own
	names []nameView   // sorted
	whole bool         // every name in it is here
}

// nameView is one name in a directory.
type nameView struct {
	name    string
	dir     bool
	ignored bool
	seen    *sighting // nil of directories and of what is ignored
}

// survey is the folders as they were at one time, by the absolute paths of their
// directories.
type survey struct {
	base map[string]*ignoreRules // of each folder
	dirs map[string]*dirView
}

func (l *survey) dir(path string) *dirView {
	if l == nil {
		return nil
	}
	return l.dirs[path]
}

// find is what a look saw at a path; nil where it saw nothing.
func (l *survey) find(path string) *sighting {
	if d := l.dir(filepath.Dir(path)); d != nil {
		if n := d.find(filepath.Base(path)); n != nil {
			return n.seen
		}
	}
	return nil
}

func (d *dirView) find(name string) *nameView {
	if d == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(d.names, name, func(n nameView, name string) int { return strings.Compare(n.name, name) })
	if !ok {
		return nil
	}
	return &d.names[i]
}

// lookAround looks at all folders, the nearest directories first, and stops at most
// files or directories. last is the look before, or nil.
func (v *Vault) lookAround(last *survey, most int) *survey {
	now := &survey{base: map[string]*ignoreRules{}, dirs: map[string]*dirView{}}
	roots, began := v.Roots(), time.Now()
	left := most
	var level []string
	rulesOf := map[string]*ignoreRules{}
	for _, root := range roots {
		p, err := v.locate(root, true)
		if err != nil {
			continue
		}
		rules, free := v.rulesFor(p)
		if free { // the person opened what git ignores: nothing of it is left out
			rules = nil
		}
		if last != nil && reflect.DeepEqual(rules, last.base[root]) {
			rules = last.base[root]
		}
		now.base[root], rulesOf[root] = rules, rules
		level = append(level, root)
	}
	for len(level) > 0 && left > 0 && len(now.dirs) < most && time.Since(began) < lookTime {
		views := v.lookAt(level, rulesOf, last)
		var next []string
		for i, path := range level {
			d := views[i]
			if d == nil {
				continue
			}
			files := d.files()
			if left -= files; left < 0 {
				continue // what is in it is not followed, and nothing below
			}
			now.dirs[path] = d
			for _, n := range d.names {
				child := filepath.Join(path, n.name)
				if n.dir && !n.ignored && !slices.Contains(roots, child) {
					rulesOf[child] = d.rules
					next = append(next, child)
				}
			}
		}
		level = next
	}
	return now
}

func (d *dirView) files() (n int) {
	for _, n1 := range d.names {
		if n1.seen != nil {
			n++
		}
	}
	return n
}

// lookAt reads the directories of one level, several at a time.
func (v *Vault) lookAt(level []string, rules map[string]*ignoreRules, last *survey) []*dirView {
	views := make([]*dirView, len(level))
	workers := min(runtime.GOMAXPROCS(0), 4, len(level))
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for i := w; i < len(level); i += workers {
				views[i] = v.lookInto(level[i], rules[level[i]], last.dir(level[i]))
			}
		})
	}
	wait.Wait()
	return views
}

// lookInto reads one directory; above are the rules that hold for its parent's
// names, or for a folder itself. nil: it is not there, or not readable.
func (v *Vault) lookInto(path string, above *ignoreRules, last *dirView) *dirView {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	asOf := time.Now().UnixNano()
	s, err := stampOfFile(f)
	if err != nil || !s.mode.IsDir() {
		return nil
	}
	if last != nil && last.stamp == s && last.above == above && last.sameNames() {
		if again := last.lookAgain(f); again != nil {
			return again
		}
	}
	entries, err := f.ReadDir(-1)
	d := &dirView{stamp: s, asOf: asOf, above: above, rules: above, whole: err == nil, names: make([]nameView, 0, len(entries))}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	if above == nil || above.dir != path { // a folder's own are in its rules
		if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ".gitignore" || e.Name() == ".agentignore" }) {
			d.rules = above.enter(path, true)
			if last != nil && reflect.DeepEqual(d.rules, last.rules) {
				d.rules = last.rules
			}
		}
	}
	var known []nameView
	if last != nil && last.rules == d.rules {
		known = last.names
	}
	for _, e := range entries {
		n := nameView{name: e.Name(), dir: e.IsDir()}
		for len(known) > 0 && known[0].name < n.name {
			known = known[1:]
		}
		var was *sighting
		if len(known) > 0 && known[0].name == n.name && known[0].dir == n.dir {
			n.ignored, was = known[0].ignored, known[0].seen
		} else {
			n.ignored = v.untracked(filepath.Join(path, n.name), n.dir, d.rules)
		}
		if kind := e.Type(); !n.ignored && (kind.IsRegular() || kind&fs.ModeSymlink != 0) {
			s, err := stampOf(f, e)
			switch {
			case err != nil:
				d.whole = false // it is going away, or not for us
				continue
			case was != nil && was.stamp == s:
				n.seen = was
			default:
				n.seen = &sighting{stamp: s}
			}
		}
		d.names = append(d.names, n)
	}
	return d
}

// sameNames says that a directory with the same stamp has the same names, and that
// the same of them are ignored.
func (d *dirView) sameNames() bool {
	if !d.whole || d.stamp.ctime == 0 || max(d.stamp.mtime, d.stamp.ctime) > d.asOf-int64(coarse) {
		return false
	}
	return d.find(".gitignore") == nil && d.find(".agentignore") == nil
}

// lookAgain asks about the files of a directory whose names are the same: the view
// itself where they are, too; nil where one is going away just now.
func (d *dirView) lookAgain(f *os.File) *dirView {
	again := d
	for i, n := range d.names {
		if n.seen == nil {
			continue
		}
		s, err := stampNamed(f, n.name)
		if err != nil {
			return nil
		}
		if s == n.seen.stamp {
			continue
		}
		if again == d {
			copied := *d
			copied.names = slices.Clone(d.names)
			again = &copied
		}
		again.names[i].seen = &sighting{stamp: s}
	}
	return again
}

// untracked says that a name is nobody's business here: ignored, hidden from tools,
// git's own, ours, or where the person's home keeps keys.
func (v *Vault) untracked(path string, dir bool, rules *ignoreRules) bool {
	base := filepath.Base(path)
	if base == ".git" || dir && (base == v.artifactDir || path == v.home) {
		return true
	}
	if rel, in := below(v.userHome, path); v.userHome != "" && in && slices.Contains(secretPlaces, rel) {
		return true
	}
	ignored, hidden := rules.ignored(path, dir)
	return ignored || hidden
}
