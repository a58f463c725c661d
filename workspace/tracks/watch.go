package tracks

import (
	"slices"
	"sync"
	"time"
)

const (
	// firstReading is how long a command waits while files are read that were not
	// before. The others are read while it runs, as long as they are as they were.
	firstReading = 300 * time.Millisecond
	// hashedBytes bounds what is read of large new files of one command.
	hashedBytes = 128 << 20
)

// Watch follows the files of folders while one command runs. It is used in this
// order: Begin, Read, StopReading, End, and then Contents, by one goroutine at a time.
type Watch struct {
	t      *Tracks
	before *survey
	began  time.Time
	unread []unread
	left   int64 // of hashedBytes
	// over is what somebody else than the command made of a path meanwhile: the
	// file tools, another command, the person who saves; nil: no file and no link.
	// Guarded by Tracks.mu.
	over map[string]*sighting
	stop chan struct{}
	read sync.WaitGroup
}

// Begin looks at the folders and follows them from then on. Who calls it sees to it
// that nobody of ours changes something meanwhile.
func (t *Tracks) Begin(folders []Folder) *Watch {
	w := &Watch{t: t, left: hashedBytes, over: map[string]*sighting{}, stop: make(chan struct{})}
	t.mu.Lock()
	last := t.last
	t.mu.Unlock()
	w.before = look(folders, last, trackedFiles)
	w.began = time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = w.before
	t.watches = append(t.watches, w)
	w.unread = t.unreadLocked(w.before)
	return w
}

// Read reads what was found and is not known yet, for a moment at once, and the rest
// while the command runs.
func (w *Watch) Read() {
	left := w.unread
	w.unread = nil
	for len(left) > 0 && time.Since(w.began) < firstReading {
		w.t.capture(left[0].path, left[0].seen)
		left = left[1:]
	}
	if len(left) == 0 {
		return
	}
	w.read.Go(func() {
		for _, u := range left {
			select {
			case <-w.stop:
				return
			default:
				w.t.capture(u.path, u.seen)
			}
		}
	})
}

// StopReading returns when nothing is read any more.
func (w *Watch) StopReading() {
	close(w.stop)
	w.read.Wait()
}

// End stops following and says what changed; what other commands that run meanwhile
// see of it later is not theirs then. Who calls it sees to it that nobody of ours
// changes something meanwhile.
func (w *Watch) End(folders []Folder) Found {
	t := w.t
	t.mu.Lock()
	last := t.last
	t.mu.Unlock()
	after := look(folders, last, trackedFiles)
	t.mu.Lock()
	t.last = after
	t.watches = slices.DeleteFunc(t.watches, func(o *Watch) bool { return o == w })
	t.mu.Unlock()
	files := w.compare(after)
	found := Found{Made: w.newDirectories(after, files), Files: files, Gone: w.goneDirectories(after)}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, o := range t.watches {
		o.tell(found)
	}
	return found
}

// tell says what another command has done. Tracks.mu is held.
func (w *Watch) tell(others Found) {
	for _, dir := range others.Made {
		w.over[dir] = nil
	}
	for _, d := range others.Gone {
		w.over[d.Path] = nil
	}
	for _, f := range others.Files {
		w.over[f.Path] = f.is
		if f.From != "" {
			w.over[f.From] = sightingAt(f.From)
		}
	}
}
