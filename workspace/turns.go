package workspace

import (
	"os"
	"sync"
	"time"
)

// turnWait is how long a change waits at most for another process, which has its turn
// for as long as a look and a rename take. Who has it for longer was stopped, or is
// no sidecar: then the look alone has to do, also for what changes in that directory
// within turnVain, or a patch of many files would wait for each of them.
const (
	turnWait  = 2 * time.Second
	turnRetry = time.Millisecond
	turnVain  = time.Minute
)

// turns remembers where a turn was waited for in vain.
type turns struct {
	mu   sync.Mutex           // guards vain
	vain map[string]time.Time // directory → when
}

// inTurn calls do, a last look and the change behind it, while no other process does
// the same in this directory: of two sidecars that take the last look at one file at
// the same moment each would find it as it was, and the one that is later would take
// away what the other has written. The lock is on the directory itself, so that
// nothing is left behind, and whoever has the folder open meets there, whatever their
// homes are.
func (w turnWriter) inTurn(do func() error) error {
	dir, err := w.Dir.Open(".")
	if err != nil {
		return do() // it may be one that can be written and not read
	}
	defer dir.Close() // ends the turn
	w.turns.await(dir, w.Abs)
	return do()
}

// await waits for the turn in a directory, which is called abs.
func (t *turns) await(dir *os.File, abs string) {
	taken := turnTaken(dir)
	if taken && t.inVain(abs) {
		return
	}
	taken = taken && !turnEnds(dir)
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.vain, abs)
	if taken {
		if t.vain == nil {
			t.vain = map[string]time.Time{}
		}
		t.vain[abs] = time.Now()
	}
}

func (t *turns) inVain(abs string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, was := t.vain[abs]
	return was && time.Since(at) < turnVain
}

// turnEnds waits for somebody's turn to end, and says whether it did.
func turnEnds(dir *os.File) bool {
	over, again := time.NewTimer(turnWait), time.NewTicker(turnRetry)
	defer over.Stop()
	defer again.Stop()
	for {
		select {
		case <-over.C:
			return false
		case <-again.C:
			if !turnTaken(dir) {
				return true
			}
		}
	}
}
