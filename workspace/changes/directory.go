package changes

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/workspace/notify"
)

// dirView is one directory as a look found it.
type dirView struct {
	stat  fileStat   // of the directory itself
	asOf  int64      // when it was read, in Unix nanoseconds
	above Rules      // of the directory that it is in, or a folder's
	rules Rules      // above's and its own
	own   bool       // files in it make rules
	names []nameView // sorted
	whole bool       // every name in it is here
	sums
	read int // the life of the shadow in which all contents in it are known; guarded by Tracker.mu
}

// sums are what its names come to.
type sums struct {
	count  int      // files and links that are followed
	newest int64    // the last of their times
	dirs   []string // the names of directories that are followed
	linked []fileID // files that have other names: a change there is not told here
	marked []nameView
	left   []string // the names of directories that the rules leave out
}

// fileID is what all names of one file have in common.
type fileID struct{ device, inode uint64 }

// nameView is one name in a directory.
type nameView struct {
	name    string
	dir     bool
	skipped bool
	seen    *snapshot // nil of directories and of what is skipped
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

func (d *dirView) sum(linked []fileID, marks []string) {
	d.sums = sums{linked: linked}
	for _, n := range d.names {
		if slices.Contains(marks, n.name) {
			d.marked = append(d.marked, n)
		}
		if n.dir && n.skipped {
			d.left = append(d.left, n.name)
		} else if n.dir {
			d.dirs = append(d.dirs, n.name)
		}
		if n.seen != nil {
			d.count++
			d.newest = max(d.newest, n.seen.stat.mtime, n.seen.stat.ctime)
		}
	}
}

// mostNames is how many names of one directory are read: the rules leave out most of
// those of a larger one, or it has more files than are followed.
const mostNames = 4 * trackedFiles

// lookInto reads one directory; at has the rules of its parent, or of a folder
// itself. It also counts the files that it asked about. nil: it is not there, not
// readable, or has more than room files.
func (l *looker) lookInto(at Folder) (*dirView, int) {
	last, room := l.last.dir(at.Path), l.room
	l.cost.dirs.Add(1)
	f, err := notify.OpenDirectory(at.Path, l.tops[at.Path])
	if err != nil {
		l.unsure(!errors.Is(err, fs.ErrPermission)) // who gives it is noticed
		return nil, 0
	}
	defer f.Close()
	asOf := time.Now().UnixNano()
	s, err := statOfFile(f)
	if err != nil || !s.mode.IsDir() {
		l.unsure(true)
		return nil, 0
	}
	l.notifier.Watch(f, at.Path, l.tops[at.Path])
	if last != nil && last.stat == s && last.above == at.Rules && last.sameNames() {
		if last.count > room {
			return nil, last.count
		}
		if again := l.lookAgain(last, f); again != nil {
			return again, again.count
		}
	}
	entries, err := f.ReadDir(mostNames + 1)
	if len(entries) > mostNames {
		return nil, room + 1
	}
	if errors.Is(err, io.EOF) { // an empty directory
		err = nil
	}
	d := &dirView{stat: s, asOf: asOf, above: at.Rules, whole: err == nil, names: make([]nameView, 0, len(entries))}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	d.rules, d.own = at.Rules.In(at.Path, entries)
	if last != nil && d.rules != at.Rules && reflect.DeepEqual(d.rules, last.rules) {
		d.rules = last.rules
	}
	var known []nameView
	if last != nil && last.rules == d.rules {
		known = last.names
	}
	files := 0
	var linked []fileID
	for _, e := range entries {
		n := nameView{name: e.Name(), dir: e.IsDir()}
		for len(known) > 0 && known[0].name < n.name {
			known = known[1:]
		}
		var was *snapshot
		if len(known) > 0 && known[0].name == n.name && known[0].dir == n.dir {
			n.skipped, was = known[0].skipped, known[0].seen
		} else {
			n.skipped = d.rules.Skips(filepath.Join(at.Path, n.name), n.dir)
		}
		if kind := e.Type(); !n.skipped && (kind.IsRegular() || kind&fs.ModeSymlink != 0) {
			if files++; files > room {
				return nil, files
			}
			l.cost.names.Add(1)
			s, links, err := statOf(f, e)
			if links > 1 {
				linked = append(linked, fileID{s.device, s.inode})
			}
			switch {
			case err != nil:
				d.whole = false // it is going away, or not for us
				continue
			case was != nil && was.stat == s:
				n.seen = was
			default:
				n.seen = &snapshot{stat: s}
			}
		}
		d.names = append(d.names, n)
	}
	d.sum(linked, l.marks)
	return d, files
}

// sameNames says that a directory with the same stamp has the same names, and that
// the same of them are skipped.
func (d *dirView) sameNames() bool {
	return d.whole && !d.own && d.stat.ctime != 0 && max(d.stat.mtime, d.stat.ctime) <= d.asOf-int64(mtimeGranularity)
}

// lookAgain asks about the files of a directory whose names are the same: the view
// itself where they are, too; nil where one is going away just now.
func (l *looker) lookAgain(d *dirView, f *os.File) *dirView {
	var names []nameView // nil: as they are
	var linked []fileID
	for i, n := range d.names {
		if n.seen == nil {
			continue
		}
		l.cost.names.Add(1)
		s, links, err := statNamed(f, n.name)
		if err != nil {
			return nil
		}
		if links > 1 {
			linked = append(linked, fileID{s.device, s.inode})
		}
		if s == n.seen.stat {
			continue
		}
		if names == nil {
			names = slices.Clone(d.names)
		}
		names[i].seen = &snapshot{stat: s}
	}
	if names == nil {
		return d
	}
	again := &dirView{stat: d.stat, asOf: d.asOf, above: d.above, rules: d.rules, own: d.own, names: names, whole: d.whole}
	again.sum(linked, l.marks)
	return again
}
