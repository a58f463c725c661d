package wire

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"sync"
)

// Call is one request of the client that is being answered.
type Call struct {
	id     int64           // ours, from 1
	raw    json.RawMessage // the client's, echoed byte for byte
	method string
	params json.RawMessage // as the client wrote them; nil when absent

	ctx    context.Context
	cancel context.CancelCauseFunc
	out    *outbox

	result   json.RawMessage // set once, before the response is sent
	failure  json.RawMessage
	answered bool // guarded by calls.mu

	mu    sync.Mutex // guards place and quick
	place *slot
	quick chan struct{} // closed when the quick part is over; nil outside a chain
}

// Reserve keeps this place in the outbox for the response, so that it precedes
// everything queued from now on (O2). The handler must return soon.
func (c *Call) Reserve() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.place == nil {
		c.place = c.out.reserve()
	}
}

// Release ends the quick part: the next call of the same session may start
// while this one goes on waiting. Returning does the same.
func (c *Call) Release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.quick != nil {
		close(c.quick)
		c.quick = nil
	}
}

// cancelled says whether the client sent $/cancelRequest for this call.
func (c *Call) cancelled() bool { return context.Cause(c.ctx) == errCancelledByClient }

// write queues the response.
func (c *Call) write() {
	body := response(c.raw, c.result, c.failure)
	c.mu.Lock()
	place := c.place
	c.mu.Unlock()
	if place != nil {
		place.fill(body)
		return
	}
	c.out.respond(body)
}

// response is a finished response: failure if there is one, else result. id nil
// is null.
func response(id, result, failure json.RawMessage) json.RawMessage {
	if id == nil {
		id = json.RawMessage("null")
	}
	name, value := `,"result":`, result
	if failure != nil {
		name, value = `,"error":`, failure
	}
	body := make([]byte, 0, len(id)+len(value)+48)
	body = append(append(body, `{"jsonrpc":"2.0","id":`...), id...)
	body = append(append(body, name...), value...)
	return append(body, '}')
}

// calls are the requests in flight. The client's ids stay outside: inside,
// every request has a number of ours.
type calls struct {
	mu    sync.Mutex // guards everything below
	last  int64
	byID  map[int64]*Call
	byKey map[string]*Call
	waits []waitFor
}

// waitFor is somebody who waits until no call below a number is in flight.
type waitFor struct {
	below int64
	done  chan struct{}
}

func newCalls() *calls {
	return &calls{byID: map[int64]*Call{}, byKey: map[string]*Call{}}
}

// add registers a request; false means that its id is in flight already.
func (cs *calls) add(ctx context.Context, out *outbox, m message) (*Call, bool) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	key := IDKey(m.id)
	if cs.byKey[key] != nil {
		return nil, false
	}
	cs.last++
	c := &Call{id: cs.last, raw: m.id, method: m.method, params: m.params, out: out}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	cs.byID[c.id], cs.byKey[key] = c, c
	return c, true
}

// take claims a call for its one answer and frees the client's id; nil when it
// is answered already. finish must follow.
func (cs *calls) take(id int64) *Call {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := cs.byID[id]
	if c == nil || c.answered {
		return nil
	}
	c.answered = true
	delete(cs.byKey, IDKey(c.raw))
	return c
}

// finish forgets a call whose answer is queued or lost. Anyone who waits for it
// must find the answer in the outbox, so it comes last.
func (cs *calls) finish(c *Call) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	delete(cs.byID, c.id)
	cs.waits = slices.DeleteFunc(cs.waits, func(w waitFor) bool {
		if !cs.clear(w.below) {
			return false
		}
		close(w.done)
		return true
	})
}

// clear says whether no call below a number is in flight. The caller holds mu.
func (cs *calls) clear(below int64) bool {
	for id := range cs.byID {
		if id < below {
			return false
		}
	}
	return true
}

// cancel ends the context of the call with the client's id raw. Unknown ids are
// answered already and ignored.
func (cs *calls) cancel(raw json.RawMessage, why error) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if c := cs.byKey[IDKey(raw)]; c != nil {
		c.cancel(why)
	}
}

// whenIdle returns a channel that is closed when nothing is in flight.
func (cs *calls) whenIdle() <-chan struct{} { return cs.whenClear(math.MaxInt64) }

// whenOnly returns a channel that is closed when every request that came before
// c is answered.
func (cs *calls) whenOnly(c *Call) <-chan struct{} { return cs.whenClear(c.id) }

func (cs *calls) whenClear(below int64) <-chan struct{} {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	done := make(chan struct{})
	if cs.clear(below) {
		close(done)
	} else {
		cs.waits = append(cs.waits, waitFor{below, done})
	}
	return done
}

// unanswered lists the methods in flight, for a report.
func (cs *calls) unanswered() (methods []string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for _, c := range cs.byID {
		methods = append(methods, c.method)
	}
	return methods
}
