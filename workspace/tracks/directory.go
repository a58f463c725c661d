package tracks

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"
)

// dirView is one directory as a look found it.
type dirView struct {
	stamp stamp      // of the directory itself
	asOf  int64      // when it was read, in Unix nanoseconds
	above Rules      // of the directory that it lies in, or a folder's
	rules Rules      // above's and its own
	own   bool       // files in it make rules
	names []nameView // sorted
	whole bool       // every name in it is here
}

// nameView is one name in a directory.
type nameView struct {
	name    string
	dir     bool
	skipped bool
	seen    *sighting // nil of directories and of what is skipped
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

func (d *dirView) files() (n int) {
	for _, n1 := range d.names {
		if n1.seen != nil {
			n++
		}
	}
	return n
}

// lookInto reads one directory; at has the rules of the one that it lies in, or of a
// folder itself. nil: it is not there, or not readable.
func lookInto(at Folder, last *dirView) *dirView {
	f, err := os.Open(at.Path)
	if err != nil {
		return nil
	}
	defer f.Close()
	asOf := time.Now().UnixNano()
	s, err := stampOfFile(f)
	if err != nil || !s.mode.IsDir() {
		return nil
	}
	if last != nil && last.stamp == s && last.above == at.Rules && last.sameNames() {
		if again := last.lookAgain(f); again != nil {
			return again
		}
	}
	entries, err := f.ReadDir(-1)
	d := &dirView{stamp: s, asOf: asOf, above: at.Rules, whole: err == nil, names: make([]nameView, 0, len(entries))}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	d.rules, d.own = at.Rules.In(at.Path, entries)
	if last != nil && d.rules != at.Rules && reflect.DeepEqual(d.rules, last.rules) {
		d.rules = last.rules
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
			n.skipped, was = known[0].skipped, known[0].seen
		} else {
			n.skipped = d.rules.Skips(filepath.Join(at.Path, n.name), n.dir)
		}
		if kind := e.Type(); !n.skipped && (kind.IsRegular() || kind&fs.ModeSymlink != 0) {
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
// the same of them are skipped.
func (d *dirView) sameNames() bool {
	return d.whole && !d.own && d.stamp.ctime != 0 && max(d.stamp.mtime, d.stamp.ctime) <= d.asOf-int64(coarse)
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
