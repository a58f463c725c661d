package show

import (
	"sync"

	v1 "github.com/agent-sidecar/agent-sidecar/rpc/acp/v1"
)

// line sends updates in the order in which their places were taken, also where one is filled later than what
// comes behind it.
type line struct {
	send func(v1.SessionUpdate)

	mu     sync.Mutex // held while something is sent; guards everything below
	places []*place
}

// place is one update of the line.
type place struct {
	filled bool
	update *v1.SessionUpdate // nil: nothing is sent
	passed chan struct{}     // closed when everything before it is sent; nil: nobody waits
}

// take takes the next place, which must be filled soon.
func (l *line) take() *place {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &place{}
	l.places = append(l.places, p)
	return p
}

// fill puts an update in its place.
func (l *line) fill(p *place, u *v1.SessionUpdate) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.filled, p.update = true, u
	l.moveLocked()
}

// moveLocked sends what is filled and has nothing unfilled before it.
func (l *line) moveLocked() {
	for len(l.places) > 0 && l.places[0].filled {
		first := l.places[0]
		l.places = l.places[1:]
		if first.update != nil {
			l.send(*first.update)
		}
		if first.passed != nil {
			close(first.passed)
		}
	}
}

// settle waits until everything that has a place now is sent.
func (l *line) settle() {
	here := &place{filled: true, passed: make(chan struct{})}
	l.mu.Lock()
	l.places = append(l.places, here)
	l.moveLocked()
	l.mu.Unlock()
	<-here.passed
}

// Send shows something in its turn.
func (s *Show) Send(u v1.SessionUpdate) { s.line.fill(s.line.take(), &u) }

// Later shows in this turn what a function makes that may ask the server; nil is nothing.
func (s *Show) Later(make func() *v1.SessionUpdate) {
	p := s.line.take()
	s.work(func() { s.line.fill(p, make()) })
}

// Settle waits until everything that was heard until now is shown. It is not called by the reader of events.
func (s *Show) Settle() { s.line.settle() }
