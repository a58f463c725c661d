package wire

import (
	"context"
	"sync"
)

// turn is the place of an answer of the client among its requests: behind what it
// sent before, and in front of what it sends after. Without one an answer, which
// passes the dispatcher by, would overtake a Stop that was sent before it.
type turn struct {
	key    string          // the chain that the answer is a link of
	before <-chan struct{} // closed when the link before it is done, or nil; set before taken is closed
	taken  chan struct{}   // closed when everything that was sent before has had its turn
	done   chan struct{}   // closed when nobody needs to wait for the answer any more
	once   sync.Once
}

func newTurn(key string) *turn {
	return &turn{key: key, taken: make(chan struct{}), done: make(chan struct{})}
}

// AskInTurn asks as Ask does; the answer has a turn of its own in the chain of the
// requests with this key. WaitInTurn takes it.
func (c *Conn) AskInTurn(ctx context.Context, method string, params any, key string) (*Asking, error) {
	return c.ask(ctx, method, params, newTurn(key))
}

// WaitInTurn waits as Wait does, and then until the answer's turn has come. done,
// which must be called, lets the requests behind it have theirs.
func (a *Asking) WaitInTurn(result any) (done func(), err error) {
	t := a.call.turn
	done = func() { a.conn.dispatcher.leave(t) }
	if err = a.Wait(result); a.ctxEnded {
		return done, err
	}
	if !a.conn.reached(t.taken) || t.before != nil && !a.conn.reached(t.before) {
		return done, ErrClientGone
	}
	return done, err
}

// reached waits for ch; false when the connection ended first.
func (c *Conn) reached(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	case <-c.over:
		return false
	}
}

// take gives a turn its place in the chain.
func (d *dispatcher) take(t *turn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case <-t.done: // nobody waits for it
	default:
		t.before = d.chains[t.key]
		d.chains[t.key] = t.done
	}
	close(t.taken)
}

// leave ends a turn.
func (d *dispatcher) leave(t *turn) {
	t.once.Do(func() { close(t.done) })
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.chains[t.key] == t.done {
		delete(d.chains, t.key)
	}
}

// answered queues the turn of an answer that has come.
func (c *Conn) answered(call *clientCall) {
	if call.turn != nil {
		c.dispatcher.put(arrival{turn: call.turn})
	}
}
