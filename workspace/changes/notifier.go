package changes

import (
	"os"
	"path/filepath"
	"sync"
)

// notifier knows in which directories something has changed since they were read,
// because the system says so. It is asked before a directory is read again. Of a
// directory that is not watched, or whose notices were lost, it knows nothing: that
// one is looked at.
//
// A directory is watched only where the one that it lies in is, too: what happens to
// its name is said there, and a path whose meaning changed is watched no more. The
// top of each folder is asked for by each look.
//
// The watches are the system's own and not those of a library: what has happened has
// to be known before the next step and not whenever a goroutine gets to it, a watch
// has to be of the very directory that is read, and the system is to tell no more
// than what is needed. Between commands nobody reads the queue: where it overflows,
// everything is looked at once, which costs no more than so many changes did.
type notifier struct {
	mu     sync.Mutex // guards everything below
	most   int        // watches; 0: a share of what the system allows; negative: none
	queue  *queue     // nil: not open
	full   bool       // no further watch can be had for now
	byID   map[int]*watched
	byPath map[string]*watched
	tells  map[uint64]bool // whether the file system of a device tells every change
	clock  int             // counts what was noticed
	due    int             // how many of them are
}

// watched is a directory with a watch.
type watched struct {
	path          string
	id            int
	device, inode uint64
	below         map[*watched]bool
	due           bool // something changed since it was read
	named         int  // the clock when that was said last, or when the watch began
}

// notice is one thing that the system says.
type notice struct {
	id   int
	name string // in the directory; "" of the directory itself
	what noticed
}

type noticed uint8

const (
	nothing  noticed = iota
	changed          // a name in the directory, or what lies there, or the directory itself
	replaced         // a name that stood for a directory, or stands for one now
	away             // the path is the directory's no more
	overflow         // notices were lost
)

// update takes in what the system has said until now. Without a queue it opens one,
// where that can be had.
func (n *notifier) update() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.clock++
	n.full = false
	if n.queue == nil {
		n.openLocked()
		return
	}
	lost := false
	if err := n.queue.read(func(e notice) { lost = lost || e.what == overflow; n.takeLocked(e) }); err != nil || lost {
		_ = n.closeLocked() // every watch is made anew
		n.openLocked()
	}
}

func (n *notifier) openLocked() {
	if n.most < 0 {
		return
	}
	if q, err := newQueue(); err == nil {
		n.queue = q
		n.byID, n.byPath, n.tells = map[int]*watched{}, map[string]*watched{}, map[uint64]bool{}
	}
}

func (n *notifier) takeLocked(e notice) {
	w := n.byID[e.id]
	if w == nil {
		return
	}
	if e.what == away {
		n.nameLocked(n.byPath[filepath.Dir(w.path)])
		n.dropLocked(w)
		return
	}
	if e.what == replaced && e.name != "" {
		n.dropLocked(n.byPath[filepath.Join(w.path, e.name)])
	}
	n.nameLocked(w)
}

func (n *notifier) nameLocked(w *watched) {
	if w == nil {
		return
	}
	if !w.due {
		n.due++
	}
	w.due, w.named = true, n.clock
}

// readLocked says that a directory is read now.
func (n *notifier) readLocked(w *watched) {
	if w.due {
		n.due--
	}
	w.due = false
}

// dropLocked watches a directory no more, nor what is below it.
func (n *notifier) dropLocked(w *watched) {
	if w == nil {
		return
	}
	if above := n.byPath[filepath.Dir(w.path)]; above != nil {
		delete(above.below, w)
	}
	n.readLocked(w)
	delete(n.byID, w.id)
	delete(n.byPath, w.path)
	n.queue.remove(w.id)
	for b := range w.below {
		n.dropLocked(b)
	}
}

// still says that a directory surely is as it was when it was last read.
func (n *notifier) still(path string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	w := n.byPath[path]
	return w != nil && !w.due
}

// allStill says it of so many directories, which are all that are followed.
func (n *notifier) allStill(dirs int) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.due == 0 && dirs > 0 && len(n.byPath) == dirs
}

// top is told which directory a folder's path leads to: where it leads elsewhere than
// before nothing in it is known.
func (n *notifier) top(path string, s stamp) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if w := n.byPath[path]; w != nil && (w.device != s.device || w.inode != s.inode) {
		n.dropLocked(w)
	}
}

// watch is told that an open directory is about to be read, and sees to it that its
// changes from now on are noticed, if that can be had. top says that it is a folder.
func (n *notifier) watch(f *os.File, path string, s stamp, top bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.queue == nil {
		return
	}
	if w := n.byPath[path]; w != nil {
		if w.device == s.device && w.inode == s.inode {
			n.readLocked(w)
			return
		}
		n.dropLocked(w)
	}
	above := n.byPath[filepath.Dir(path)]
	if above == nil && !top || n.full || len(n.byPath) >= n.mostLocked() || !n.tellsLocked(f, s.device) {
		return
	}
	id, err := n.queue.add(f)
	switch {
	case err != nil:
		n.full = true
		return
	case n.byID[id] != nil:
		return // the same directory has another path, too, or had it just now
	}
	w := &watched{path: path, id: id, device: s.device, inode: s.inode, below: map[*watched]bool{}, named: n.clock}
	n.byID[id], n.byPath[path] = w, w
	if above != nil {
		above.below[w] = true
	}
}

func (n *notifier) mostLocked() int {
	if n.most == 0 {
		n.most = watchShare()
	}
	return n.most
}

func (n *notifier) tellsLocked(f *os.File, device uint64) bool {
	tells, known := n.tells[device]
	if !known {
		tells = tellsAll(f)
		n.tells[device] = tells
	}
	return tells
}

// keep watches no more what a look does not follow any longer.
func (n *notifier) keep(now *survey) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for path, w := range n.byPath {
		if now.dirs[path] == nil {
			n.dropLocked(w)
		}
	}
}

// now is the clock: what is noticed from here on is noticed later.
func (n *notifier) now() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.clock
}

// sameSince says that nothing was noticed in a directory since then, and that it was
// watched all the time.
func (n *notifier) sameSince(path string, then int) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	w := n.byPath[path]
	return w != nil && w.named <= then
}

func (n *notifier) close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.most = -1
	return n.closeLocked()
}

func (n *notifier) closeLocked() error {
	if n.queue == nil {
		return nil
	}
	err := n.queue.close()
	n.queue, n.byID, n.byPath, n.due = nil, nil, nil, 0
	return err
}
