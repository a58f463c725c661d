package workspace

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

const (
	// firstReading is how long a command waits while files are read that were not
	// before. The others are read while it runs, as long as they are as they were.
	firstReading = 300 * time.Millisecond
	// coarse is how far apart two changes may be that the system gives one time.
	coarse = 20 * time.Millisecond
)

// tracks is what the Vault knows of its files from before the last command, and who
// follows them now. The zero tracks know nothing.
type tracks struct {
	shadow shadow

	mu      sync.Mutex // guards everything below
	home    string     // "" until the first command
	last    *survey
	watches []*watch
}

// watch follows the files of the folders while one command runs.
type watch struct {
	v      *Vault
	before *survey
	began  time.Time
	// over is what somebody else than the command made of a path meanwhile: the
	// file tools, another command, the person who saves; nil: nothing is there.
	// Guarded by tracks.mu.
	over map[string]*sighting
	stop chan struct{}
	read sync.WaitGroup

	once  sync.Once // guards found
	found []tool.Change
}

// watchFiles begins to follow the files. nil follows nothing: without a home
// nothing can be kept.
func (v *Vault) watchFiles() *watch {
	if v.home == "" || v.disk.Frozen() || len(v.Roots()) == 0 {
		return nil
	}
	t := &v.tracks
	w := &watch{v: v, over: map[string]*sighting{}, stop: make(chan struct{})}
	v.changing.Lock() // no call of ours changes something meanwhile
	t.mu.Lock()
	last := t.last
	t.mu.Unlock()
	w.before = v.lookAround(last, trackedFiles)
	w.began = time.Now()
	t.mu.Lock()
	t.home, t.last = v.home, w.before
	t.watches = append(t.watches, w)
	unread := t.unreadLocked(w.before)
	t.mu.Unlock()
	v.changing.Unlock()

	for len(unread) > 0 && time.Since(w.began) < firstReading {
		t.capture(unread[0].path, unread[0].seen)
		unread = unread[1:]
	}
	if len(unread) > 0 {
		w.read.Go(func() {
			for _, u := range unread {
				select {
				case <-w.stop:
					return
				default:
					t.capture(u.path, u.seen)
				}
			}
		})
	}
	return w
}

// placed is a file or link of a survey.
type placed struct {
	path string
	seen *sighting
}

// unreadLocked are those whose content is not known yet, the last changed first:
// people work on a few files.
func (t *tracks) unreadLocked(l *survey) []placed {
	var out []placed
	life := t.shadow.present()
	for dir, d := range l.dirs {
		for _, n := range d.names {
			if n.seen != nil && n.seen.stamp.size <= shadowedBytes && (life == 0 || n.seen.held.life != life) {
				out = append(out, placed{filepath.Join(dir, n.name), n.seen})
			}
		}
	}
	slices.SortFunc(out, func(a, b placed) int {
		return cmp.Or(cmp.Compare(b.seen.stamp.mtime, a.seen.stamp.mtime), strings.Compare(a.path, b.path))
	})
	return out
}

// capture reads what lies at a path and keeps it, where it is what the sighting says.
func (t *tracks) capture(path string, seen *sighting) {
	data, err := readStill(path, seen.stamp, shadowedBytes)
	if err != nil {
		return
	}
	held := t.shadow.put(t.home, data)
	t.mu.Lock()
	seen.held = held
	t.mu.Unlock()
}

// notACommand says that what lies at a path now is none of the commands' doing. It
// is called right behind a change of our own, with changing held, and when the
// person has saved a document.
func (t *tracks) notACommand(path string) {
	t.mu.Lock()
	following := len(t.watches) > 0
	t.mu.Unlock()
	if !following || path == "" {
		return
	}
	var now *sighting
	if s, err := stampAt(path); err == nil {
		now = &sighting{stamp: s}
		t.capture(path, now)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, w := range t.watches {
		w.over[path] = now
	}
}

// moved is notACommand for what a move of ours has moved.
func (t *tracks) moved(v *Vault, changes []tool.Change) {
	for _, c := range changes {
		if !c.Directory {
			t.notACommand(v.absolutely(c.Path))
			t.notACommand(v.absolutely(c.From))
		}
	}
}

// end stops following and says what changed, again and again the same. What other
// commands that run meanwhile see of it later is not theirs then.
func (w *watch) end() []tool.Change {
	if w == nil {
		return nil
	}
	w.once.Do(func() { w.found = w.finish() })
	return w.found
}

func (w *watch) finish() []tool.Change {
	close(w.stop)
	w.read.Wait()
	v, t := w.v, &w.v.tracks
	v.changing.Lock()
	defer v.changing.Unlock()
	t.mu.Lock()
	last := t.last
	t.mu.Unlock()
	after := v.lookAround(last, trackedFiles)
	t.mu.Lock()
	t.last = after
	t.watches = slices.DeleteFunc(t.watches, func(o *watch) bool { return o == w })
	t.mu.Unlock()
	found := w.compare(after)
	t.mu.Lock()
	for _, o := range t.watches {
		for _, f := range found {
			o.over[f.path] = f.is
		}
	}
	t.mu.Unlock()
	return v.changesOf(found, w.newDirectories(after, found), w.goneDirectories(after))
}
