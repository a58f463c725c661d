package rpc

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// board is the open questions of this connection. Every surface shows the same
// approval and the first answer wins: the session takes one answer and then
// withdraws the question, and whoever comes later is told so.
type board struct {
	s *Server

	mu       sync.Mutex // guards everything below
	open     map[string]*openQuestion
	order    []string        // of open, oldest first
	resolved map[string]bool // of this process, bounded
	forget   []string        // resolved, oldest first
	reviewed map[string]bool // whose review was opened on this connection
	rules    map[string]bool // of these, whose rules were shown with it
	turn     *openQuestion   // whose message request is out or waits; one a connection
	others   []func()        // what else waits to ask in a message, oldest first
	refused  bool            // the client does not know message requests
	asked    map[string]bool // offered as a message request already
}

// openQuestion is an approval that somebody may answer.
type openQuestion struct {
	history.Approval
	answers chan session.Answer // unbuffered: taken means taken by the session
	ready   chan struct{}       // closed when the session listens: from then on ctx, full and documents are there
	ctx     context.Context     // ends when the question is withdrawn; nil before ready

	asking *wire.Asking // our request about it, or nil
	file   string       // where its review lies, "" before it was written
	full   string       // the preview where its event does not hold all of it

	documents []history.DiffDocuments // of its diff, with their texts
	unopened  map[string]bool         // of these the URIs of what would be there, that were not asked for
}

// mostForgotten bounds how many resolved approvals are remembered by name.
const mostForgotten = 1000

func newBoard(s *Server) *board {
	return &board{s: s, open: map[string]*openQuestion{}, resolved: map[string]bool{}, reviewed: map[string]bool{}, rules: map[string]bool{}, asked: map[string]bool{}}
}

// CanAnswer implements session.Approver.
func (b *board) CanAnswer() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.s.client
	return c.declaresApprovals() || c.codeActions || c.messageRequest && !b.refused
}

// CanEdit implements session.Approver: the client declared approvals.editInput.
func (b *board) CanEdit() bool {
	c := b.s.client
	return c.declaresApprovals() && c.marker.Approvals.EditInput != nil
}

// expect puts a question on the board before its event is on the wire. A client
// that answers at once would else be told that it came too late, and the session
// would wait for ever.
func (b *board) expect(a history.Approval) *openQuestion {
	b.mu.Lock()
	defer b.mu.Unlock()
	if q := b.open[a.ApprovalID]; q != nil {
		return q
	}
	q := &openQuestion{Approval: a, answers: make(chan session.Answer), ready: make(chan struct{})}
	b.open[a.ApprovalID] = q
	b.order = append(b.order, a.ApprovalID)
	return q
}

// over says that a question was withdrawn. The board is locked.
func (q *openQuestion) over() bool { return q.ctx != nil && q.ctx.Err() != nil }

// Approve implements session.Approver: the question is on every surface until
// ctx ends.
func (b *board) Approve(ctx context.Context, a history.Approval) <-chan session.Answer {
	q := b.expect(a)
	b.mu.Lock()
	if q.ctx != nil { // resolved already: nobody answers
		b.mu.Unlock()
		return q.answers
	}
	q.ctx = ctx
	if a.Preview != nil {
		q.full, q.documents = a.Preview.Whole, a.Preview.Documents
		q.unopened = map[string]bool{}
		for _, d := range q.documents {
			q.unopened[d.After] = true
			if d.Moved { // no document has the path that goes: only the review shows it
				q.unopened[""] = true
			}
		}
	}
	b.mu.Unlock()
	close(q.ready)
	b.surfaces(q)
	b.s.marks.add(q)
	b.unlessNobody(q)
	return q.answers
}

// out remembers the request that asks about q, or takes it back when q is gone.
func (b *board) out(q *openQuestion, asked *wire.Asking) {
	b.mu.Lock()
	gone := q.ctx.Err() != nil
	if !gone {
		q.asking = asked
	}
	b.mu.Unlock()
	if gone {
		asked.Retract()
	}
}

// retract takes back the request that asks about q and gives its turn away.
func (b *board) retract(q *openQuestion) {
	b.mu.Lock()
	asked := q.asking
	q.asking = nil
	b.mu.Unlock()
	if asked != nil {
		asked.Retract()
	}
	b.giveTurn(q)
}

// close takes a question off every surface right behind the event that says
// what became of it, and before anything that follows from that. It is called with
// the session locked and waits for nothing.
func (b *board) close(id string) {
	if q := b.remove(id); q != nil {
		b.retract(q)
		b.s.marks.clear(id)
	}
}

// remove forgets an open question, nil when it was not there any more.
func (b *board) remove(id string) *openQuestion {
	b.mu.Lock()
	defer b.mu.Unlock()
	q := b.open[id]
	if q == nil {
		return nil
	}
	if q.ctx == nil { // told and never asked: the disk refused it in between
		over, end := context.WithCancel(context.Background())
		end()
		q.ctx = over
		close(q.ready)
	}
	delete(b.open, id)
	delete(b.asked, id)
	b.order = slices.DeleteFunc(b.order, func(o string) bool { return o == id })
	b.resolved[id] = true
	if b.forget = append(b.forget, id); len(b.forget) > mostForgotten {
		delete(b.resolved, b.forget[0])
		delete(b.reviewed, b.forget[0])
		delete(b.rules, b.forget[0])
		b.forget = b.forget[1:]
	}
	return q
}

// pending are the open questions, oldest first; of "" every session's.
func (b *board) pending(of string) []*openQuestion {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []*openQuestion
	for _, id := range b.order {
		if q := b.open[id]; !q.over() && (of == "" || q.SessionID == of) {
			out = append(out, q)
		}
	}
	return out
}

// get is an open question, nil once it is answered: that is known here a moment
// before it is taken off.
func (b *board) get(id string) *openQuestion {
	b.mu.Lock()
	defer b.mu.Unlock()
	if q := b.open[id]; q != nil && !q.over() {
		return q
	}
	return nil
}

// answer gives a person's word to the session and returns what became of it. A
// question that was answered, withdrawn or never there is not an error. The
// response of c, where there is one, has its place right behind the event that
// says so and the withdrawal from the other surfaces.
func (b *board) answer(ctx context.Context, c *wire.Call, id string, a session.Answer) (session.Outcome, error) {
	q := b.get(id)
	if q == nil {
		return session.Outcome{Status: b.absent(id)}, nil
	}
	select {
	case <-q.ready:
	case <-ctx.Done():
		return session.Outcome{}, context.Cause(ctx)
	}
	settled := make(chan session.Outcome, 1)
	a.Settle = func(o session.Outcome) {
		if c != nil {
			c.Reserve()
		}
		settled <- o
	}
	if !b.take(ctx, q, a) {
		if ctx.Err() != nil && q.ctx.Err() == nil {
			return session.Outcome{}, context.Cause(ctx)
		}
		return session.Outcome{Status: "already_resolved"}, nil
	}
	select {
	case o := <-settled:
		if o.Refused != nil {
			return o, wire.InvalidParams("editedInput", o.Refused.Error())
		}
		return o, nil
	case <-ctx.Done():
		return session.Outcome{}, context.Cause(ctx)
	}
}

// take gives an answer to the session; false when the question is gone.
func (b *board) take(ctx context.Context, q *openQuestion, a session.Answer) bool {
	select {
	case q.answers <- a:
		return true
	case <-q.ctx.Done():
	case <-ctx.Done():
	}
	return false
}

// nobodyLeft is said when a client turned out not to know the last way to ask it:
// whoever waits for an answer looks again whether there can be one.
func (b *board) nobodyLeft() {
	for _, q := range b.pending("") {
		b.unlessNobody(q)
	}
}

// unlessNobody lets who waits for an answer look, where nobody can give one.
func (b *board) unlessNobody(q *openQuestion) {
	if b.CanAnswer() {
		return
	}
	b.s.goWork(func() {
		select {
		case <-q.ready:
			b.take(context.Background(), q, session.Answer{})
		case <-b.s.questions.Done():
		}
	})
}

// absent says whether there ever was such a question: in this process, or in
// the log of the session that its id names.
func (b *board) absent(id string) string {
	b.mu.Lock()
	known := b.resolved[id] || b.open[id] != nil
	b.mu.Unlock()
	if known {
		return "already_resolved"
	}
	of, n, ok := strings.Cut(id, "-a")
	seq, err := strconv.ParseInt(n, 10, 64)
	if !ok || err != nil || seq < 1 {
		return "not_found"
	}
	found, err := b.s.back.Sessions.Get(of)
	if err != nil {
		return "not_found"
	}
	page, err := found.Events(context.Background(), history.PageQuery{After: seq - 1, Limit: 1, Before: seq + 1, Types: []string{"approval.requested"}})
	if err != nil || len(page.Events) == 0 {
		return "not_found"
	}
	return "already_resolved"
}

// review remembers that the person has opened the whole of a question here; the
// surfaces that hid their yes may show it now.
func (b *board) review(id string) {
	b.mu.Lock()
	b.rules[id] = true
	b.mu.Unlock()
	b.seen(id)
}

// seen is review where what was opened is the documents of a diff, in which the rules
// do not stand that `always` would store.
func (b *board) seen(id string) {
	b.mu.Lock()
	b.reviewed[id] = true
	delete(b.asked, id)
	b.mu.Unlock()
	b.s.marks.reviewed(id)
	if b.s.client.messageRequest {
		b.nextMessage()
	}
}

// opened takes notice that the editor has asked for a document of a question's diff,
// and says whether that was the last one.
func (b *board) opened(q *openQuestion, uri string) (all bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !q.unopened[uri] {
		return false
	}
	delete(q.unopened, uri)
	return len(q.unopened) == 0
}

// rulesShown says whether the review was opened here with the rules in it.
func (b *board) rulesShown(q *openQuestion) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rules[q.ApprovalID]
}

// reviewedHere says whether the review was opened on this connection.
func (b *board) reviewedHere(q *openQuestion) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.reviewed[q.ApprovalID]
}
