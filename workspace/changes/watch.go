package changes

import (
	"maps"
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
	t      *Tracker
	call   Call
	number int // of the command, from 1
	// Guarded by Tracker.mu: the commands that ran at some time while this one was
	// followed, what was found when that ended, that the command itself ran on then, and
	// that it is over. claimed are paths whose change was counted to another command and
	// may be this one's.
	others  []*Watch
	after   *survey
	runsOn  bool
	over    bool
	claimed map[string]Call
	before  *survey
	mark    int // what was noticed later is no older than before
	began   time.Time
	unread  []unread
	left    int64 // of hashedBytes
	// made is what somebody else than the command made of a path meanwhile: the
	// file tools, another command, the person who saves; nil: no file and no link.
	// Guarded by Tracker.mu.
	made map[string]*snapshot
	stop chan struct{}
	read sync.WaitGroup
}

// Begin looks at the folders and follows them from then on. Who calls it sees to it
// that nobody of ours changes something meanwhile. call is whose command it is: a
// process that comes after a kill is told.
func (t *Tracker) Begin(call Call, folders []Folder) *Watch {
	w := &Watch{t: t, call: call, left: hashedBytes, made: map[string]*snapshot{}, claimed: map[string]Call{}, stop: make(chan struct{})}
	w.mark = t.notifier.Mark()
	w.before = t.look(folders)
	w.began = time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.watches = append(t.watches, w)
	for _, o := range t.running {
		w.others = append(w.others, o)
		if o.after == nil {
			o.others = append(o.others, w)
		}
	}
	t.running = append(t.running, w)
	t.begun++
	w.number = t.begun
	t.journal.begin(t.Dir, beginLine{w.number, call, w.began.UnixNano()}, w.before)
	if t.journal.renewed() {
		keptOf(w.before, func(path string, s *snapshot) { t.journal.keeps(path, s.stat, s.held) })
		t.journal.settled()
	}
	w.unread = t.unreadLocked(w.before)
	return w
}

// Read reads what was found and is not known yet, for a moment at once, and the rest
// while the command runs.
func (w *Watch) Read() {
	left := w.unread
	w.unread = nil
	for len(left) > 0 && time.Since(w.began) < firstReading {
		w.t.readAhead(left[0])
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
				w.t.readAhead(u)
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
	after := t.look(folders)
	t.mu.Lock()
	w.after = after
	t.watches = slices.DeleteFunc(t.watches, func(o *Watch) bool { return o == w })
	t.mu.Unlock()
	files := w.compare(after)
	found := Found{Made: w.newDirectories(after, files), Files: files, Gone: w.goneDirectories(after)}
	t.mu.Lock()
	defer t.mu.Unlock()
	found.Claimed = w.attribute(found.Files)
	var done map[string]*snapshot
	if len(t.watches) > 0 {
		done = found.done(after)
	}
	for _, o := range t.watches {
		maps.Copy(o.made, done)
	}
	t.journal.end(w.number, done, len(t.watches) == 0)
	return found
}

// done is what a command has made of each path, for the others that run; after is the
// look behind it.
func (f Found) done(after *survey) map[string]*snapshot {
	done := map[string]*snapshot{}
	for _, dir := range f.Made {
		done[dir] = nil
	}
	for _, d := range f.Gone {
		done[d.Path] = nil
	}
	for _, d := range f.Files {
		if d.is != nil && d.was != nil && d.is.stat == d.was.stat {
			continue // it may have been changed twice within one tick, and mostly was not
		}
		done[d.Path] = d.is
		if d.From != "" {
			done[d.From] = after.snapshotAt(d.From)
		}
	}
	return done
}
