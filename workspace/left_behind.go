package workspace

import (
	"slices"
	"time"
)

// leave remembers what we left in a file. The overlay's lock is held.
func (o *overlay) leave(key, hash, bare string, shown bool) *trace {
	if o.left == nil {
		o.left = map[string]*trace{}
	}
	t := &trace{hash: hash, bare: hashOf([]byte(bare)), at: time.Now(), shown: shown}
	if before := o.left[key]; before != nil && t.at.Sub(before.at) <= behindTime {
		t.older = append(before.older[max(0, len(before.older)-mostOlder+1):len(before.older):len(before.older)], before.bare)
	}
	o.left[key] = t
	if len(o.left) > mostTraces {
		oldest := key
		for k, other := range o.left {
			if other.at.Before(o.left[oldest].at) {
				oldest = k
			}
		}
		delete(o.left, oldest)
	}
	return t
}

// formatTime is how long after our own edit a change of the editor's that comes
// with a save counts as part of that edit: formatting on save.
const formatTime = 2 * time.Second

// behindTime is how long an editor may take to load what we have left in a file, and mostOlder
// how many of the texts before it may come meanwhile.
const (
	behindTime = 2 * time.Second
	mostOlder  = 32
)

// mostTraces bounds of how many files is known what we left there.
const mostTraces = 512

// trace is what our last change left in a file, and what became of it while the
// editor saved: formatted, with a line end at its end, in its own encoding. Who
// compares contents by their hashes asks asLeft, so that what the editor added is
// no change that somebody else made. nil is a trace of nothing.
type trace struct {
	hash  string    // of the content as we left it
	bare  string    // hash of its bare text
	at    time.Time // of our change
	shown bool      // the editor has shown it since
	same  string    // hash of a content that counts as the same; "" is none
	older []string  // hashes of the bare texts that we left there just before, the newest last
}

// sees is told of every text that the editor shows of the file.
func (t *trace) sees(text string) {
	if t != nil && !t.shown {
		t.shown = hashOf([]byte(bareText(text))) == t.bare
	}
}

// passed says that an editor which shows a text is only behind: we have left that in the file
// a moment ago, and another one since, which saved is. It is about to load the file again, and
// nobody has typed.
func (t *trace) passed(text, saved string) bool {
	return t != nil && time.Since(t.at) <= behindTime && hashOf([]byte(saved)) == t.bare && slices.Contains(t.older, hashOf([]byte(bareText(text))))
}

// counts says whether a save of the bare text counts as part of our change: it is
// that change, or the change was shown and the save is its formatting. Where the
// editor never showed it, somebody saves an older text over it.
func (t *trace) counts(bare string) bool {
	return t != nil && (hashOf([]byte(bare)) == t.bare || t.shown && time.Since(t.at) <= formatTime)
}
