package runner

import (
	"context"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/runner/seam"
)

// State is how the way to a worker is. The zero one is that of a worker which nobody has
// reached for yet, or needs any more.
type State struct {
	Reached, Reaching bool
	// Why is why nobody is reached: what the last try said, or that the connection has
	// ended.
	Why string
	// RoundTrip is how long one question takes beside the work for it: a mean that follows
	// the newest answers. Only where Reached.
	RoundTrip time.Duration
}

// condition is the State of a link, for those who show it.
type condition struct {
	changed func() // the state is another one now; nil: nobody wants to know

	mu    sync.Mutex // guards what follows; a leaf
	state State
}

// State is how the way to the worker is now.
func (c *condition) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

func (c *condition) become(s State) {
	c.mu.Lock()
	was := c.state
	c.state = s
	c.mu.Unlock()
	if s != was && c.changed != nil {
		c.changed()
	}
}

// missed says that a try has failed. Of one that was given up nothing is known.
func (c *condition) missed(ctx context.Context, err error) {
	var s State
	if ctx.Err() == nil {
		s.Why = err.Error()
	}
	c.become(s)
}

// answered takes the time of one more question over.
func (c *condition) answered(took time.Duration) {
	s := c.State()
	if !s.Reached {
		return
	}
	s.RoundTrip += (took - s.RoundTrip) / 4
	c.become(s)
}

// watch begins to measure the way to a worker, with every beat until the connection ends.
func (l *link) watch(p *seam.Peer) { l.watching.Go(func() { l.measure(p) }) }

func (l *link) measure(p *seam.Peer) {
	t := time.NewTicker(seam.Beat)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if took, err := p.RoundTrip(context.Background()); err == nil {
				l.answered(took)
			}
		case <-p.Gone():
			if l.left(p) {
				l.become(State{Why: seam.ErrGone.Error()})
			}
			return
		}
	}
}

// left says that a connection is the one that was reached last, and nobody has let it go.
func (l *link) left(p *seam.Peer) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.peer == p
}
