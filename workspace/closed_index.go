package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/workspace/notify"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
)

// Which names of the folders are sensitive is found by an index of directories: a name
// appears, goes or changes only in its directory, whose own times say so. A search reads
// only the directories that are not as they were. Which these are the system says by
// itself of those that are watched; it is asked about each of the others, and about the few
// files that were found.

// pathStamp is what the system says of a path: as long as it is the same the content is,
// too.
type pathStamp struct {
	openat.Inode
	links              uint64
	size, mtime, ctime int64 // nanoseconds; ctime 0 where the system has none
	dir, regular       bool
}

// sameTick is how far apart two changes may be that the system gives one time.
const sameTick = 20 * time.Millisecond

// settled says that what was read at a time, in nanoseconds, has not changed since while
// the stamp is the same.
func (s pathStamp) settled(read int64) bool {
	return s.ctime != 0 && max(s.mtime, s.ctime) <= read-int64(sameTick)
}

// unlooked are directories with what package managers fetched: thousands of files of
// others, test keys among them, that builds have to read.
var unlooked = map[string]bool{"node_modules": true, ".venv": true, "venv": true, "vendor": true, ".git": true}

// closedIndex knows the directories of the folders. The zero index knows none.
type closedIndex struct {
	mu     sync.Mutex // guards the rest
	dirs   map[string]*closedDir
	keys   map[string]keyLook
	notify notify.Notifier // of the directories in which names count
	found  closedFound     // by the last search
	// special are the directories from which that is.
	special map[string]*closedDir
	asked   int // directories so far, for tests
	read    int // of them
}

// closedFound is what a search finds where only names count.
type closedFound struct {
	tops   []closable // which it began in
	paths  []string
	linked []string // links of such a name
	keys   []string // files of such a name, if there is a key in them
	inner  []string // files in directories that are closed as a whole
}

// closedDir is what is known of one directory.
type closedDir struct {
	stamp pathStamp
	at    int64 // when it was read, in Unix nanoseconds
	is    closable

	// Absolute paths, so that a search makes none.
	files    []string   // closed by their names
	keys     []string   // closed by their names and what is in them
	links    []string   // of such a name
	whole    []closable // directories that are closed with all that is in them
	dirs     []closable
	unlooked []closable // directories
	barred   bool       // nobody can look into it as it is

	inodes map[openat.Inode][]string // of all files in it; nil: not asked yet
}

// special says that something in it is found, or it itself.
func (d *closedDir) special() bool {
	return d.barred || len(d.files)+len(d.keys)+len(d.links)+len(d.whole) > 0
}

// closedLook is one search.
type closedLook struct {
	in   *closedFiles
	seen map[string]*closedDir // nil: nothing had to be looked at
	tops map[string]bool
	outs map[string]bool // the artifact directories, which are hidden by themselves
	closedFound
}

// closable is a directory that the search goes into.
type closable struct {
	abs, object string // the object ends with "/"
	way         wayIn
}

// wayIn is what is looked for in a directory.
type wayIn int

const (
	byNames   wayIn = iota
	inWhole         // all that is in it is closed by a directory above
	otherwise       // nothing is closed in it by its name
)

// newClosedLook begins a search. The lock of closed is held until it is over.
func (f *closedFiles) newClosedLook() *closedLook {
	l := &closedLook{in: f, tops: map[string]bool{}, outs: map[string]bool{}}
	roots := f.folders.Now()
	if f.closed.dirs == nil {
		f.closed.dirs = map[string]*closedDir{}
	}
	f.closed.notify.Update()
	for _, r := range roots {
		l.tops[r.Real], l.outs[filepath.Join(r.Real, f.artifactDir)] = true, true
		object := "vault:/"
		if !r.First {
			object = "vault@" + r.Name + ":/"
		}
		if r.Real != "/" { // it is not given away
			f.closed.notify.Top(r.Real)
			l.closedFound.tops = append(l.closedFound.tops, closable{abs: r.Real, object: object})
		}
	}
	return l
}

// names goes through all folders where something can be closed by its name.
func (l *closedLook) names() error {
	c := &l.in.closed
	if slices.Equal(c.found.tops, l.closedFound.tops) && l.again() {
		l.closedFound = c.found
		return nil
	}
	l.seen = make(map[string]*closedDir, len(c.dirs))
	for _, top := range l.closedFound.tops {
		if err := l.below(top, false); err != nil {
			c.found = closedFound{}
			return err
		}
	}
	c.found = l.closedFound
	c.special = map[string]*closedDir{}
	for abs, d := range l.seen {
		if d.special() {
			c.special[abs] = d
		}
	}
	return nil
}

// again looks only into the directories in which something happened since the last search,
// where these are known and few. false: they are not, or there are other directories in
// them now.
func (l *closedLook) again() bool {
	c := &l.in.closed
	due, all := c.notify.Due(len(c.dirs), len(c.dirs)/2)
	if !all {
		return false
	}
	if len(due) == 0 {
		return true
	}
	l.seen = map[string]*closedDir{}
	for _, abs := range due {
		old := c.dirs[abs]
		if old == nil {
			return false
		}
		d, err := l.directory(old.is)
		if err != nil || d == nil || d.barred != old.barred || !slices.Equal(d.dirs, old.dirs) || !slices.Equal(d.whole, old.whole) {
			return false
		}
		if delete(c.special, abs); d.special() {
			c.special[abs] = d
		}
	}
	l.seen = nil
	now := &closedLook{closedFound: closedFound{tops: c.found.tops}}
	for _, d := range c.special {
		now.found(d.is, d)
	}
	c.found = now.closedFound
	return true
}

// everywhere goes through all directories.
func (l *closedLook) everywhere() error {
	l.seen = map[string]*closedDir{}
	for _, top := range l.closedFound.tops {
		if err := l.below(top, true); err != nil {
			return err
		}
	}
	return nil
}

// over forgets what the search has not met.
func (l *closedLook) over() {
	if l.seen == nil {
		return
	}
	l.in.closed.dirs = l.seen
	l.in.closed.notify.Keep(func(path string) bool { return l.seen[path] != nil })
}

// below goes through a directory and all in it.
func (l *closedLook) below(top closable, everywhere bool) error {
	for left := []closable{top}; len(left) > 0; {
		at := left[len(left)-1]
		left = left[:len(left)-1]
		d, err := l.directory(at)
		if err != nil {
			return err
		}
		if d == nil {
			continue
		}
		if d.barred {
			l.found(at, d)
			continue
		}
		lists := [][]closable{d.dirs, d.whole}
		if everywhere {
			lists = append(lists, d.unlooked)
		} else {
			l.found(at, d)
		}
		for _, list := range lists {
			for _, in := range list {
				if l.tops[in.abs] || l.outs[in.abs] && !everywhere {
					continue
				}
				if l.outs[in.abs] {
					in.way = otherwise
				}
				left = append(left, in)
			}
		}
	}
	return nil
}

// found takes in what is closed in a directory.
func (l *closedLook) found(at closable, d *closedDir) {
	switch {
	case at.way == inWhole:
		l.inner = append(l.inner, d.files...)
	case d.barred:
		l.paths = append(l.paths, at.abs)
	case at.way == byNames:
		l.paths = append(l.paths, d.files...)
		for _, whole := range d.whole {
			l.paths = append(l.paths, whole.abs)
		}
		l.keys, l.linked = append(l.keys, d.keys...), append(l.linked, d.links...)
	}
}

// directory is what is in one: as it is known, or read anew. nil: it is none any more.
func (l *closedLook) directory(at closable) (*closedDir, error) {
	c := &l.in.closed
	known := c.dirs[at.abs]
	if known != nil && known.is == at && c.notify.Still(at.abs) {
		l.seen[at.abs] = known
		return known, nil
	}
	c.asked++
	delete(c.dirs, at.abs) // of what happened until now nothing is told again
	if at.way != otherwise && c.notify.Wants(at.abs, l.tops[at.abs]) {
		if f, err := notify.OpenDirectory(at.abs, false); err == nil {
			c.notify.Watch(f, at.abs, l.tops[at.abs])
			f.Close()
		}
	}
	s, err := stampAt(at.abs)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission): // of the last, one above is barred
		return nil, nil
	case err != nil:
		return nil, err
	case !s.dir:
		return nil, nil
	}
	if known != nil && known.stamp == s && known.is == at && s.settled(known.at) {
		l.keep(known)
		return known, nil
	}
	c.read++
	d := &closedDir{stamp: s, at: time.Now().UnixNano(), is: at}
	entries, err := os.ReadDir(at.abs)
	if err == nil { // names alone are not enough: who may not go into it can let himself in
		_, err = os.Lstat(at.abs + "/.")
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, fs.ErrPermission):
		d.barred = true
	case err != nil:
		return nil, err
	}
	for _, e := range entries {
		d.sort(l.in.shields.Names, e)
	}
	l.keep(d)
	return d, nil
}

func (l *closedLook) keep(d *closedDir) {
	l.in.closed.dirs[d.is.abs] = d
	l.seen[d.is.abs] = d
}

// sort puts one name where it belongs.
func (d *closedDir) sort(g shields.Names, e fs.DirEntry) {
	at, name := d.is, e.Name()
	abs, object := filepath.Join(at.abs, name), at.object+name
	into := closable{abs, object + "/", at.way}
	link := e.Type()&fs.ModeSymlink != 0
	switch {
	case at.way != byNames && e.IsDir():
		d.dirs = append(d.dirs, into)
	case at.way == inWhole:
		d.files = append(d.files, abs)
	case at.way == otherwise:
	case e.IsDir() && unlooked[name]:
		into.way = otherwise
		d.unlooked = append(d.unlooked, into)
	case e.IsDir() && g.Closed(object+"/"):
		into.way = inWhole
		d.whole = append(d.whole, into)
	case e.IsDir():
		d.dirs = append(d.dirs, into)
	case link && (g.Closed(object) || g.Closed(object+"/") || g.MayHoldKey(object)):
		d.links = append(d.links, abs)
	case link:
	case g.Closed(object):
		d.files = append(d.files, abs)
	case g.MayHoldKey(object):
		d.keys = append(d.keys, abs)
	}
}

// named are the names in a directory that stand for one of the files.
func (d *closedDir) named(abs string, files map[openat.Inode]bool) (names []string) {
	if d.inodes == nil {
		d.inodes = map[openat.Inode][]string{}
		entries, _ := os.ReadDir(abs) // one that cannot be read is closed
		for _, e := range entries {
			if !e.Type().IsRegular() {
				continue
			}
			if s, err := stampAt(filepath.Join(abs, e.Name())); err == nil {
				d.inodes[s.Inode] = append(d.inodes[s.Inode], e.Name())
			}
		}
	}
	for id := range files {
		names = append(names, d.inodes[id]...)
	}
	return names
}
