package changes

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Marked visits the names that are marked, as they were when the command began, by their
// directories, in no order.
func (w *Watch) Marked(visit func(dir, name string, isDir bool)) {
	if w == nil {
		return
	}
	for path, d := range w.before.dirs {
		for _, n := range d.marked {
			visit(path, n.name, n.dir)
		}
	}
}

// LeftOut visits the directories that the rules left out when the command began, each with
// the rules that did, in no order.
func (w *Watch) LeftOut(visit func(dir string, rules Rules)) {
	if w == nil {
		return
	}
	for path, d := range w.before.dirs {
		for _, name := range d.left {
			visit(filepath.Join(path, name), d.rules)
		}
	}
}

// Linked visits the files that had more names than one when the command began, by what
// all names of one file have in common.
func (w *Watch) Linked(visit func(device, inode uint64)) {
	if w == nil {
		return
	}
	for _, d := range w.before.dirs {
		for _, id := range d.linked {
			visit(id.device, id.inode)
		}
	}
}

// Newcomers visits what is where nothing of that name was, or something of another kind,
// when the command began; what is in a directory that came is new as well. No rule leaves
// a name out, but what is in a directory that was left out when the command began is not
// looked at. visit says whether a directory is looked into. It costs a look at the
// directories that are not as they were, and a question for each one of which the system
// does not say whether it is. false: there are more than most, or some that cannot be
// read.
func (w *Watch) Newcomers(most int, visit func(path string, e fs.DirEntry) (into bool)) (all bool) {
	if w == nil {
		return true
	}
	c := comers{left: most, visit: visit}
	n := &w.t.notifier
	n.Update()
	for path, was := range w.before.dirs {
		if n.SameSince(path, w.mark) {
			continue
		}
		w.t.cost.dirs.Add(1)
		if was.asBefore(path) || !w.before.reaches(path) {
			continue
		}
		c.look(path, func(e fs.DirEntry) bool {
			n := was.find(e.Name())
			if n == nil && !was.whole { // one that was going away just then, perhaps
				s, err := statAt(filepath.Join(path, e.Name()))
				return err == nil && w.fresh(s)
			}
			return n == nil || n.dir != e.IsDir()
		})
	}
	return c.left >= 0 && !c.closed
}

// asBefore says that the names of a directory are surely what they were, or that it is
// none any more.
func (d *dirView) asBefore(path string) bool {
	s, err := statAt(path)
	if err != nil || !s.mode.IsDir() {
		return true
	}
	return s == d.stat && max(s.mtime, s.ctime) <= d.asOf-int64(mtimeGranularity)
}

// reaches says that no directory on the way has become a link: what it leads to has
// other names.
func (l *survey) reaches(path string) bool {
	for at := path; l.dir(at) != nil; at = filepath.Dir(at) {
		if info, err := os.Lstat(at); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// comers looks for names that came.
type comers struct {
	left   int
	closed bool // a directory could not be read
	visit  func(path string, e fs.DirEntry) bool
}

func (c *comers) look(dir string, isNew func(fs.DirEntry) bool) {
	entries, err := os.ReadDir(dir)
	c.closed = c.closed || err != nil && !errors.Is(err, fs.ErrNotExist)
	for _, e := range entries {
		if !isNew(e) {
			continue
		}
		if c.left--; c.left < 0 {
			return
		}
		path := filepath.Join(dir, e.Name())
		if c.visit(path, e) && e.IsDir() {
			c.look(path, func(fs.DirEntry) bool { return true })
		}
	}
}
