package changes

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Found is what a command changed.
type Found struct {
	Made  []string     // directories for what was put into them, parents first
	Files []Difference // in the order of their paths
	Gone  []Directory  // directories that are none any more, children first
	// Claimed are the paths of changes that may be this command's and were counted to
	// another one, which ended before: to which.
	Claimed map[string]Call
}

// Difference is one file or link that is not as it was.
type Difference struct {
	Path    string    // absolute, as those of the folders are
	From    string    // it was moved here from there, unchanged; ""
	With    []Call    // others that may have changed it: they ran at the same time
	was, is *snapshot // nil: nothing
}

// Now says that a file or link is at the path.
func (d Difference) Now() bool { return d.is != nil }

// Sure says that it is another: not only changed so shortly before the command began that
// a second change might bear the same time.
func (d Difference) Sure() bool { return !same(d.was, d.is) }

// Directory is one that was there.
type Directory struct {
	Path string
	Mode fs.FileMode
}

// differences are where the two looks do not agree.
func (w *Watch) differences(after *survey) map[string]Difference {
	all := map[string]Difference{}
	if after == w.before && !w.racyAt(after.newest) {
		return all
	}
	note := func(path string, was, is *snapshot) {
		if was != is {
			all[path] = Difference{Path: path, was: was, is: is}
		}
	}
	for dir, b := range w.before.dirs {
		a := after.dir(dir)
		if a == b && a.asOf != 0 && !w.racyAt(a.newest) {
			continue
		}
		for _, n := range b.names {
			if n.seen == nil {
				continue
			}
			var is *snapshot
			if now := a.find(n.name); now != nil {
				is = now.seen
			}
			if is != nil && is.stat == n.seen.stat {
				is = n.seen // also where another process saw it, or other rules
			}
			if is == n.seen && !w.racy(is) {
				continue
			}
			path := filepath.Join(dir, n.name)
			if is == nil {
				is = after.snapshotAt(path)
			}
			if is == n.seen { // changed twice within one tick, perhaps
				if is = after.snapshotAt(path); is == nil {
					is = &snapshot{stat: n.seen.stat}
				}
			}
			note(path, n.seen, is)
		}
	}
	for dir, a := range after.dirs {
		b := w.before.dir(dir)
		if a == b {
			continue
		}
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
	return all
}

// compare finds what a command changed, in the order of the paths. What only seems
// to be new or gone, because the rules are others now or because
// not everything could be looked at, is left out.
func (w *Watch) compare(after *survey) []Difference {
	all := w.differences(after)
	w.t.mu.Lock()
	for path, was := range w.made {
		is := after.find(path)
		if is == nil {
			is = after.snapshotAt(path)
		}
		switch {
		case is == nil && was == nil, is != nil && was != nil && is.stat == was.stat:
			delete(all, path)
		default:
			all[path] = Difference{Path: path, was: was, is: is}
		}
	}
	w.t.mu.Unlock()
	var out []Difference
	moved, carried := w.moves(all)
	went := map[string]bool{}
	for _, from := range moved {
		went[from] = true
	}
	for path, d := range all {
		if from := moved[path]; from != "" {
			d.was, d.From = all[from].was, from
		}
		told := w.told(path)
		switch {
		case d.was == nil && !told && (!w.provenNew(path) || d.From == "" && !carried[path] && !w.fresh(d.is.stat)):
			continue // it was there before, where nobody looked
		case d.From == "" && went[path]:
			continue // it is named where it went
		}
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// moves finds what has another path now and is otherwise the same: new path → old. Links
// are carried: they count as gone at one path and made at another.
func (w *Watch) moves(all map[string]Difference) (moved map[string]string, carried map[string]bool) {
	type identity struct {
		device, inode uint64
		size, mtime   int64
	}
	of := func(s fileStat) identity { return identity{s.device, s.inode, s.size, s.mtime} }
	gone, links := map[identity]string{}, map[identity]bool{}
	for path, d := range all {
		if d.is == nil && d.was.stat.inode != 0 {
			switch d.was.stat.mode & fs.ModeType {
			case 0:
				gone[of(d.was.stat)] = path
			case fs.ModeSymlink:
				links[of(d.was.stat)] = true
			}
		}
	}
	moved, carried = map[string]string{}, map[string]bool{}
	for path, d := range all {
		if d.was == nil && d.is.stat.inode != 0 {
			carried[path] = links[of(d.is.stat)]
			if from, ok := gone[of(d.is.stat)]; ok && w.provenNew(path) {
				moved[path] = from
				delete(gone, of(d.is.stat)) // of several names of one file one
			}
		}
	}
	return moved, carried
}

// told says that somebody else did something at a path meanwhile. Nobody does any
// more: the watch is over.
func (w *Watch) told(path string) bool {
	_, told := w.made[path]
	return told
}

// racy says that a file was changed so shortly before it was looked at that a
// second change may bear the same time.
func (w *Watch) racy(t *snapshot) bool {
	return t != nil && w.racyAt(max(t.stat.mtime, t.stat.ctime))
}

func (w *Watch) racyAt(when int64) bool { return when > w.began.Add(-mtimeGranularity).UnixNano() }

// fresh says that something was made, or put where it is, since the command began.
func (w *Watch) fresh(s fileStat) bool {
	return s.ctime == 0 || s.ctime > w.began.Add(-mtimeGranularity).UnixNano()
}

// provenNew says that the look before shows that nothing was at path: the deepest
// directory above it that was there was read whole, and nothing of that name was in
// it, not even something skipped. Where a file was, or a pipe, or a directory that was looked
// at, what is something else now is new.
func (w *Watch) provenNew(path string) bool {
	child := path
	for {
		dir := filepath.Dir(child)
		if d := w.before.dir(dir); d != nil {
			was := d.find(filepath.Base(child))
			return d.whole && (was == nil || !was.dir && !was.skipped || w.before.dir(child) != nil)
		}
		if dir == child {
			return false
		}
		child = dir
	}
}

// snapshotAt is what is at a path that the look has not seen, nil where that is no file
// and no link, and where a directory above it is none any more: what a link in its place
// leads to has other names.
func (l *survey) snapshotAt(path string) *snapshot {
	if l.lost(filepath.Dir(path)) {
		return nil
	}
	return snapshotAt(path)
}

// lost says that a path leads to no directory: it, or one above it, is gone, or is
// something else now, a link to a directory included. What cannot be looked at is not
// lost.
func (l *survey) lost(dir string) bool {
	for l.dir(dir) == nil {
		info, err := os.Lstat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), err == nil && !info.IsDir():
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
	return false
}

// newDirectories are those that the command made for what it has put into them,
// parents first.
func (w *Watch) newDirectories(after *survey, found []Difference) (dirs []string) {
	seen := map[string]bool{}
	for _, f := range found {
		if f.is == nil || f.was != nil && f.From == "" {
			continue
		}
		for dir := filepath.Dir(f.Path); after.dir(dir) != nil && w.before.dir(dir) == nil && !seen[dir] && !w.told(dir) && w.provenNew(dir); dir = filepath.Dir(dir) {
			seen[dir] = true
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return dirs
}

// goneDirectories are those that are no directories any more, children first.
func (w *Watch) goneDirectories(after *survey) (gone []Directory) {
	if after == w.before {
		return nil
	}
	for dir, d := range w.before.dirs {
		if after.dir(dir) != nil || w.told(dir) {
			continue
		}
		if after.lost(dir) {
			gone = append(gone, Directory{dir, d.stat.mode})
		}
	}
	slices.SortFunc(gone, func(a, b Directory) int { return strings.Compare(b.Path, a.Path) })
	return gone
}
