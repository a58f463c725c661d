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
	then   func()            // called in its turn; nil: nothing is
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
		if first.then != nil {
			first.then()
		}
	}
}

// then calls a function when everything that has a place now is sent, and before what comes behind it.
func (l *line) then(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.places = append(l.places, &place{filled: true, then: f})
	l.moveLocked()
}

// Send shows something in its turn.
func (s *Show) Send(u v1.SessionUpdate) { s.line.fill(s.line.take(), &u) }

// Later shows in this turn what a function makes that may ask the server; nil is nothing.
func (s *Show) Later(make func() *v1.SessionUpdate) {
	p := s.line.take()
	s.work(func() { s.line.fill(p, make()) })
}

// Then calls a function when everything that was heard until now is shown, and before anything else is. It must not
// wait, and not show anything itself.
func (s *Show) Then(f func()) { s.line.then(f) }

// Settle waits until everything that was heard until now is shown. It is not called by the reader of events.
func (s *Show) Settle() {
	shown := make(chan struct{})
	s.Then(func() { close(shown) })
	<-shown
}
