package notify

import (
	"os"
	"path/filepath"
	"sync"
)

// Notifier knows in which directories something has changed since they were read,
// because the system says so. It is asked before a directory is read again. Of a
// directory that is not watched, or whose notices were lost, it knows nothing: that
// one is looked at.
//
// A directory is watched only where the one that it is in is, too: what happens to
// its name is said there, and a path whose meaning changed is watched no more. The
// top of each folder is asked for by each look.
//
// The watches are the system's own and not those of a library: what has happened has
// to be known before the next step and not whenever a goroutine gets to it, a watch
// has to be of the very directory that is read, and the system is to tell no more
// than what is needed. Between commands nobody reads the queue: where it overflows,
// everything is looked at once, which costs no more than so many changes did.
type Notifier struct {
	// Names is set where nothing but the names in a directory counts: of contents that
	// change nothing is told then.
	Names bool
	// Most is how many watches there are at most; 0: a share of what the system allows;
	// negative: none.
	Most int

	mu     sync.Mutex // guards everything below
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
	path  string
	id    int
	is    identity
	below map[*watched]bool
	due   bool // something changed since it was read
	named int  // the clock when that was said last, or when the watch began
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
	changed          // a name in the directory, or what is there, or the directory itself
	replaced         // a name that stood for a directory, or stands for one now
	away             // the path is the directory's no more
	overflow         // notices were lost
)

// Update takes in what the system has said until now. Without a queue it opens one,
// where that can be had. Where notices were lost, or something was mounted, nothing is known.
func (n *Notifier) Update() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.clock++
	n.full = false
	if n.queue == nil {
		n.openLocked()
		return
	}
	lost := n.queue.mounted()
	if err := n.queue.read(func(e notice) { lost = lost || e.what == overflow; n.takeLocked(e) }); err != nil || lost {
		_ = n.closeLocked() // every watch is made anew
		n.openLocked()
	}
}

func (n *Notifier) openLocked() {
	if n.Most < 0 {
		return
	}
	if q, err := newQueue(n.Names); err == nil {
		n.queue = q
		n.byID, n.byPath, n.tells = map[int]*watched{}, map[string]*watched{}, map[uint64]bool{}
	}
}

func (n *Notifier) takeLocked(e notice) {
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

func (n *Notifier) nameLocked(w *watched) {
	if w == nil {
		return
	}
	if !w.due {
		n.due++
	}
	w.due, w.named = true, n.clock
}

// readLocked says that a directory is read now.
func (n *Notifier) readLocked(w *watched) {
	if w.due {
		n.due--
	}
	w.due = false
}

// dropLocked watches a directory no more, nor what is below it.
func (n *Notifier) dropLocked(w *watched) {
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

// Still says that a directory surely is as it was when it was last read.
func (n *Notifier) Still(path string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	w := n.byPath[path]
	return w != nil && !w.due
}

// AllStill says it of so many directories, which are all that are followed.
func (n *Notifier) AllStill(dirs int) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.due == 0 && dirs > 0 && len(n.byPath) == dirs
}

// Due are the directories in which something changed since they were read. false: there
// are more than most, or not just so many directories are watched.
func (n *Notifier) Due(dirs, most int) (due []string, all bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.due > most || dirs == 0 || len(n.byPath) != dirs {
		return nil, false
	}
	for path, w := range n.byPath {
		if len(due) == n.due {
			break
		}
		if w.due {
			due = append(due, path)
		}
	}
	return due, true
}

// Top is told which path a folder has: where it leads elsewhere than before nothing in
// it is known.
func (n *Notifier) Top(path string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if w := n.byPath[path]; w == nil {
		return
	} else if id, err := identityAt(path); err != nil || id != w.is {
		n.dropLocked(w)
	}
}

// Wants says that Watch would watch the directory, or does so already.
func (n *Notifier) Wants(path string, top bool) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.byPath[path] != nil || n.roomLocked(path, top)
}

func (n *Notifier) roomLocked(path string, top bool) bool {
	return n.queue != nil && (top || n.byPath[filepath.Dir(path)] != nil) && !n.full && len(n.byPath) < n.mostLocked()
}

// Watch is told that an open directory is about to be read, and sees to it that its
// changes from now on are noticed, if that can be had. top says that it is a folder.
func (n *Notifier) Watch(f *os.File, path string, top bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.queue == nil {
		return
	}
	is, err := identityOf(f)
	if err != nil {
		return
	}
	if w := n.byPath[path]; w != nil {
		if w.is == is {
			n.readLocked(w)
			return
		}
		n.dropLocked(w)
	}
	if !n.roomLocked(path, top) || !n.tellsLocked(f, is.device) {
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
	w := &watched{path: path, id: id, is: is, below: map[*watched]bool{}, named: n.clock}
	n.byID[id], n.byPath[path] = w, w
	if above := n.byPath[filepath.Dir(path)]; above != nil {
		above.below[w] = true
	}
}

func (n *Notifier) mostLocked() int {
	if n.Most == 0 {
		n.Most = watchShare()
	}
	return n.Most
}

func (n *Notifier) tellsLocked(f *os.File, device uint64) bool {
	tells, known := n.tells[device]
	if !known {
		tells = tellsAll(f)
		n.tells[device] = tells
	}
	return tells
}

// Keep watches no more what is not followed any longer.
func (n *Notifier) Keep(followed func(path string) bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for path, w := range n.byPath {
		if !followed(path) {
			n.dropLocked(w)
		}
	}
}

// Watches counts the directories that are watched.
func (n *Notifier) Watches() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.byPath)
}

// Mark is a time: what is noticed from here on is noticed later. It is taken before
// directories are read.
func (n *Notifier) Mark() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.clock++
	return n.clock - 1
}

// SameSince says that nothing was noticed in a directory since it was marked, and that it
// was watched all the time.
func (n *Notifier) SameSince(path string, mark int) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	w := n.byPath[path]
	return w != nil && w.named <= mark
}

// Close watches nothing, now and later.
func (n *Notifier) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.Most = -1
	return n.closeLocked()
}

func (n *Notifier) closeLocked() error {
	if n.queue == nil {
		return nil
	}
	err := n.queue.close()
	n.queue, n.byID, n.byPath, n.due = nil, nil, nil, 0
	return err
}
