package proc

import (
	"errors"
	"os"
	"sync"
)

// guard is a guard process and the socket on which it gets its orders. Its end is the
// guard's own, once nothing of its command is left.
type guard struct {
	process *os.Process
	socket  *os.File
}

// end lets a guard go and waits for it.
func (g *guard) end() error {
	g.socket.Close()
	_, err := g.process.Wait()
	return err
}

// Guards keep one guard that has nothing to do for the next command, because to start one
// takes longer than many a command. Only one whose commands could not reach it is kept: in
// namespaces of their own they see no process outside, and nothing of them is left. The
// zero value is ready, nil keeps none, and all methods may be called from any goroutine.
type Guards struct {
	mu     sync.Mutex // guards what follows
	idle   *guard
	closed bool
}

// take hands out the guard that is kept, nil where there is none.
func (g *Guards) take() *guard {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	idle := g.idle
	g.idle = nil
	return idle
}

// keep takes a guard back; false: it is one too many.
func (g *Guards) keep(one *guard) bool {
	if g == nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || g.idle != nil {
		return false
	}
	g.idle = one
	return true
}

// Close ends the guard that is kept and keeps no other.
func (g *Guards) Close() error {
	g.mu.Lock()
	idle := g.idle
	g.idle, g.closed = nil, true
	g.mu.Unlock()
	if idle == nil {
		return nil
	}
	if err := idle.end(); err != nil {
		return errors.Join(errors.New("end a guard"), err)
	}
	return nil
}
