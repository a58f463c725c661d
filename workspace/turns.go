package workspace

import (
	"os"
	"time"
)

// turnWait is how long a change waits at most for another process, which has its turn
// for as long as a look and a rename take. Who has it for longer was stopped, or is
// no sidecar: then the look alone has to do.
const (
	turnWait  = 2 * time.Second
	turnRetry = time.Millisecond
)

// inTurn calls do, a last look and the change behind it, while no other process does
// the same in this directory: of two sidecars that take the last look at one file at
// the same moment each would find it as it was, and the one that is later would take
// away what the other has written. The lock is on the directory itself, so that
// nothing is left behind, and whoever has the folder open meets there, whatever their
// homes are.
func (w writer) inTurn(do func() error) error {
	dir, err := w.dir.Open(".")
	if err != nil {
		return do() // it may be one that can be written and not read
	}
	defer dir.Close() // ends the turn
	awaitTurn(dir)
	return do()
}

func awaitTurn(dir *os.File) {
	if !turnTaken(dir) {
		return
	}
	over, again := time.NewTimer(turnWait), time.NewTicker(turnRetry)
	defer over.Stop()
	defer again.Stop()
	for {
		select {
		case <-over.C:
			return
		case <-again.C:
			if !turnTaken(dir) {
				return
			}
		}
	}
}
