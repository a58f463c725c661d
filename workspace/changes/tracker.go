package changes

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/workspace/notify"
)

// Tracker is what is known of the files from before the last command, and who follows
// them now. The zero Tracker knows nothing, and what it reads it does not keep. It
// is not copied once it is used; its methods are safe for concurrent use.
type Tracker struct {
	// Dir is where contents are kept, and what the next process has to know should this
	// one be killed. It is this process's alone and made when it is needed. "" keeps
	// nothing.
	Dir string
	// Marks are names that make a directory special. They stay as they are.
	Marks []string

	shadow   shadow
	journal  journal
	notifier notify.Notifier
	cost     cost

	looking sync.Mutex // held during a look, so that last is the one before it

	mu      sync.Mutex // guards everything below
	last    *survey
	watches []*Watch
	running []*Watch // of commands that are not over, followed or not
	begun   int      // commands so far
}

// NotACommand says that what is at path, or that nothing is, is none of the
// commands' doing: right behind a change of somebody else, before the next command
// could make another. path is absolute. Of a directory it means that it was made or
// taken away, and nothing of what is in it.
func (t *Tracker) NotACommand(path string) {
	t.mu.Lock()
	following := len(t.watches) > 0
	t.mu.Unlock()
	if !following {
		return
	}
	now := snapshotAt(path)
	if now != nil {
		t.capture(path, now)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.journal.over(map[string]*snapshot{path: now})
	for _, w := range t.watches {
		w.made[path] = now
	}
}

// Close lets go of what was kept and removes it.
func (t *Tracker) Close() error {
	err := t.Release()
	if t.Dir == "" {
		return err
	}
	for _, name := range []string{journalFile, contentsFile} {
		if gone := os.Remove(filepath.Join(t.Dir, name)); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// Release lets go of the files that have it, which stay, and watches nothing any more.
func (t *Tracker) Release() error {
	return errors.Join(t.notifier.Close(), t.journal.close(), t.shadow.close())
}

// look looks at the folders, reusing the look before.
func (t *Tracker) look(folders []Folder) *survey {
	t.looking.Lock()
	defer t.looking.Unlock()
	t.mu.Lock()
	last := t.last
	t.mu.Unlock()
	l := looker{notifier: &t.notifier, cost: &t.cost, marks: t.Marks, last: last}
	now := l.look(folders, trackedFiles)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = now
	return now
}

// unread is a file or link whose content is not known yet.
type unread struct {
	path string
	seen *snapshot
}

// unreadLocked are those of a look, the last changed first: people work on a few
// files.
func (t *Tracker) unreadLocked(l *survey) []unread {
	var out []unread
	life := t.shadow.present()
	for dir, d := range l.dirs {
		if life != 0 && d.read == life {
			continue
		}
		known := true
		for _, n := range d.names {
			if n.seen != nil && n.seen.stat.size <= shadowedBytes && (life == 0 || n.seen.held.life != life) {
				out = append(out, unread{filepath.Join(dir, n.name), n.seen})
				known = false
			}
		}
		if known {
			d.read = life
		}
	}
	slices.SortFunc(out, func(a, b unread) int {
		return cmp.Or(cmp.Compare(b.seen.stat.mtime, a.seen.stat.mtime), strings.Compare(a.path, b.path))
	})
	return out
}

// readAhead keeps a file that a command may change, while there is room for it.
func (t *Tracker) readAhead(u unread) {
	passed, room := t.shadow.room(u.seen.stat.size)
	if room {
		t.capture(u.path, u.seen)
		return
	}
	t.mu.Lock()
	u.seen.held = passed
	t.mu.Unlock()
}

// capture reads what is at a path and keeps it, where it is what the snapshot says.
func (t *Tracker) capture(path string, seen *snapshot) {
	data, still := readStill(path, seen.stat, shadowedBytes)
	if !still {
		return
	}
	held := t.shadow.put(t.Dir, data)
	t.journal.keeps(path, seen.stat, held)
	t.mu.Lock()
	seen.held = held
	t.mu.Unlock()
}
