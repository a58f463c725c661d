package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// difference is one path that is not as it was.
type difference struct {
	path    string
	was, is *sighting // nil: nothing
	from    string    // it was moved here from there, unchanged
}

// compare finds what a command changed, in the order of the paths. What only seems
// to be new or gone, because the rules of what is ignored are others now or because
// not everything could be looked at, is left out.
func (w *watch) compare(after *survey) []difference {
	all := map[string]difference{}
	note := func(path string, was, is *sighting) {
		if was != is {
			all[path] = difference{path: path, was: was, is: is}
		}
	}
	for dir, b := range w.before.dirs {
		a := after.dir(dir)
		if a == b && a.asOf != 0 && !w.hastyIn(a) {
			continue
		}
		for _, n := range b.names {
			if n.seen == nil {
				continue
			}
			var is *sighting
			if now := a.find(n.name); now != nil {
				is = now.seen
			}
			if is == n.seen && !w.hasty(is) {
				continue
			}
			path := filepath.Join(dir, n.name)
			if is == nil {
				is = sightingAt(path)
			}
			if is == n.seen { // changed twice within one tick, perhaps
				is = &sighting{stamp: is.stamp}
			}
			note(path, n.seen, is)
		}
	}
	for dir, a := range after.dirs {
		b := w.before.dir(dir)
		for _, n := range a.names {
			if n.seen == nil {
				continue
			}
			if was := b.find(n.name); was != nil && was.seen != nil {
				continue
			}
			note(filepath.Join(dir, n.name), nil, n.seen)
		}
	}
	t := &w.v.tracks
	t.mu.Lock()
	for path, was := range w.over {
		is := after.find(path)
		if is == nil {
			is = sightingAt(path)
		}
		switch {
		case is == nil && was == nil, is != nil && was != nil && is.stamp == was.stamp:
			delete(all, path)
		default:
			all[path] = difference{path: path, was: was, is: is}
		}
	}
	t.mu.Unlock()
	var out []difference
	moved := w.moves(all)
	for path, d := range all {
		if from := moved[path]; from != "" {
			d.was, d.from = all[from].was, from
		}
		_, told := w.over[path]
		switch {
		case d.was == nil && !told && (!w.provenNew(path) || d.from == "" && !w.fresh(d.is.stamp)):
			continue // it was there before, where nobody looked
		case d.from == "" && slices.ContainsFunc(mapValues(moved), func(from string) bool { return from == path }):
			continue // it is named where it went
		}
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b difference) int { return strings.Compare(a.path, b.path) })
	return out
}

func mapValues(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for _, v := range m {
		out = append(out, v)
	}
	return out
}

// moves finds what has another path now and is otherwise the same: new path → old.
func (w *watch) moves(all map[string]difference) map[string]string {
	type identity struct {
		device, inode uint64
		size, mtime   int64
	}
	of := func(s stamp) identity { return identity{s.device, s.inode, s.size, s.mtime} }
	gone := map[identity]string{}
	for path, d := range all {
		if d.is == nil && d.was.stamp.inode != 0 && d.was.stamp.mode&fs.ModeType == 0 {
			gone[of(d.was.stamp)] = path
		}
	}
	moved := map[string]string{}
	for path, d := range all {
		if d.was == nil && d.is.stamp.inode != 0 {
			if from, ok := gone[of(d.is.stamp)]; ok && w.provenNew(path) {
				moved[path] = from
				delete(gone, of(d.is.stamp)) // of several names of one file one
			}
		}
	}
	return moved
}

// hasty says that a file was changed so shortly before it was looked at that a
// second change may bear the same time.
func (w *watch) hasty(t *sighting) bool {
	return t != nil && max(t.stamp.mtime, t.stamp.ctime) > w.began.Add(-coarse).UnixNano()
}

// hastyIn is hasty for any file of a directory.
func (w *watch) hastyIn(d *dirView) bool {
	return slices.ContainsFunc(d.names, func(n nameView) bool { return w.hasty(n.seen) })
}

// fresh says that something was made, or put where it is, since the command began.
func (w *watch) fresh(s stamp) bool {
	return s.ctime == 0 || s.ctime > w.began.Add(-coarse).UnixNano()
}

// provenNew says that the look before shows that nothing lay at path: the deepest
// directory above it that was there was read whole, and nothing of that name was in
// it, not even something ignored. Where a file was, or a directory that was looked
// at, what is something else now is new.
func (w *watch) provenNew(path string) bool {
	child := path
	for {
		dir := filepath.Dir(child)
		if d := w.before.dir(dir); d != nil {
			was := d.find(filepath.Base(child))
			return d.whole && (was == nil || was.seen != nil || w.before.dir(child) != nil)
		}
		if dir == child {
			return false
		}
		child = dir
	}
}

// sightingAt is what lies at a path, nil where that is no file and no link.
func sightingAt(path string) *sighting {
	s, err := stampAt(path)
	if err != nil || s.mode&fs.ModeType&^fs.ModeSymlink != 0 {
		return nil
	}
	return &sighting{stamp: s}
}

// newDirectories are those that the command made for what it has put into them,
// parents first.
func (w *watch) newDirectories(after *survey, found []difference) (dirs []string) {
	seen := map[string]bool{}
	for _, f := range found {
		if f.is == nil || f.was != nil && f.from == "" {
			continue
		}
		for dir := filepath.Dir(f.path); after.dir(dir) != nil && w.before.dir(dir) == nil && !seen[dir] && w.provenNew(dir); dir = filepath.Dir(dir) {
			seen[dir] = true
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return dirs
}

// goneDirectories are those that are no directories any more, with what they were,
// children first.
func (w *watch) goneDirectories(after *survey) map[string]fs.FileMode {
	gone := map[string]fs.FileMode{}
	for dir, d := range w.before.dirs {
		if after.dir(dir) != nil {
			continue
		}
		if info, err := os.Lstat(dir); isMissing(err) || errors.Is(err, syscall.ENOTDIR) || err == nil && !info.IsDir() {
			gone[dir] = d.stamp.mode
		}
	}
	return gone
}
