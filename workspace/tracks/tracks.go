package tracks

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Tracks is what is known of the files from before the last command, and who follows
// them now. The zero Tracks know nothing, and what they read they do not keep. They
// are not copied once they are used; their methods are safe for concurrent use.
type Tracks struct {
	// Dir is where contents are kept while the process lives, in a file that has no
	// name; it is made when it is needed. "" keeps none.
	Dir string

	shadow shadow

	mu      sync.Mutex // guards everything below
	last    *survey
	watches []*Watch
}

// NotACommand says that what lies at path, or that nothing does, is none of the
// commands' doing: right behind a change of somebody else, before the next command
// could make another. path is absolute. Of a directory it means that it was made or
// taken away, and nothing of what is in it.
func (t *Tracks) NotACommand(path string) {
	t.mu.Lock()
	following := len(t.watches) > 0
	t.mu.Unlock()
	if !following {
		return
	}
	now := sightingAt(path)
	if now != nil {
		t.capture(path, now)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, w := range t.watches {
		w.over[path] = now
	}
}

// Close lets go of what was kept.
func (t *Tracks) Close() error { return t.shadow.close() }

// unread is a file or link whose content is not known yet.
type unread struct {
	path string
	seen *sighting
}

// unreadLocked are those of a look, the last changed first: people work on a few
// files.
func (t *Tracks) unreadLocked(l *survey) []unread {
	var out []unread
	life := t.shadow.present()
	for dir, d := range l.dirs {
		for _, n := range d.names {
			if n.seen != nil && n.seen.stamp.size <= shadowedBytes && (life == 0 || n.seen.held.life != life) {
				out = append(out, unread{filepath.Join(dir, n.name), n.seen})
			}
		}
	}
	slices.SortFunc(out, func(a, b unread) int {
		return cmp.Or(cmp.Compare(b.seen.stamp.mtime, a.seen.stamp.mtime), strings.Compare(a.path, b.path))
	})
	return out
}

// capture reads what lies at a path and keeps it, where it is what the sighting says.
func (t *Tracks) capture(path string, seen *sighting) {
	data, still := readStill(path, seen.stamp, shadowedBytes)
	if !still {
		return
	}
	held := t.shadow.put(t.Dir, data)
	t.mu.Lock()
	seen.held = held
	t.mu.Unlock()
}
