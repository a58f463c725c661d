package surface

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Approvals are the open questions of this connection. Every surface shows the same
// approval and the first answer wins: the session takes one answer and then
// withdraws the question, and anyone who comes later is told so.
type Approvals struct {
	*Screen
	refused atomic.Bool // the client does not know message requests

	mu       sync.Mutex // guards everything below
	open     map[string]*PendingApproval
	order    []string        // of open, oldest first
	resolved map[string]bool // of this process, bounded
	forget   []string        // resolved, oldest first
}

// mostForgotten bounds how many resolved approvals are remembered by name.
const mostForgotten = 1000

func newApprovals(s *Screen) *Approvals {
	return &Approvals{Screen: s, open: map[string]*PendingApproval{}, resolved: map[string]bool{}}
}

// CanAnswer says whether the client has any way to answer a question.
func (b *Approvals) CanAnswer() bool {
	return b.Approvals || b.CodeActions || b.MessageRequest && !b.refused.Load()
}

// Expect adds a question before its event is on the wire. A client
// that answers at once would else be told that it came too late, and the session
// would wait for ever.
func (b *Approvals) Expect(a history.Approval) *PendingApproval {
	b.mu.Lock()
	defer b.mu.Unlock()
	if q := b.open[a.ApprovalID]; q != nil {
		return q
	}
	q := &PendingApproval{Approval: a, answers: make(chan session.Answer), ready: make(chan struct{})}
	b.open[a.ApprovalID] = q
	b.order = append(b.order, a.ApprovalID)
	return q
}

// Listen adds a question until ctx ends: the session listens from now on.
// False is a question that was resolved already, which nobody answers.
func (b *Approvals) Listen(ctx context.Context, a history.Approval) (q *PendingApproval, open bool) {
	q = b.Expect(a)
	b.mu.Lock()
	if q.ctx != nil {
		b.mu.Unlock()
		return q, false
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
	return q, true
}

// Sent remembers the request that asks about q, or takes it back when q is gone.
func (b *Approvals) Sent(q *PendingApproval, asked *wire.Asking) {
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

// retract takes back the request that asks about q.
func (b *Approvals) retract(q *PendingApproval) {
	b.mu.Lock()
	asked := q.asking
	q.asking = nil
	b.mu.Unlock()
	if asked != nil {
		asked.Retract()
	}
}

// remove forgets an open question, nil when it was not there any more.
func (b *Approvals) remove(id string) *PendingApproval {
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
	b.order = slices.DeleteFunc(b.order, func(o string) bool { return o == id })
	b.resolved[id] = true
	if b.forget = append(b.forget, id); len(b.forget) > mostForgotten {
		delete(b.resolved, b.forget[0])
		b.forget = b.forget[1:]
	}
	return q
}

// Pending are the open questions, oldest first; of "" every session's.
func (b *Approvals) Pending(of string) []*PendingApproval {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []*PendingApproval
	for _, id := range b.order {
		if q := b.open[id]; !q.over() && (of == "" || q.SessionID == of) {
			out = append(out, q)
		}
	}
	return out
}

// Get is an open question, nil once it is answered: that is known here a moment
// before it is taken off.
func (b *Approvals) Get(id string) *PendingApproval {
	b.mu.Lock()
	defer b.mu.Unlock()
	if q := b.open[id]; q != nil && !q.over() {
		return q
	}
	return nil
}

// Answer gives a person's word to the session and returns what became of it. A
// question that was answered, withdrawn or never there is not an error. The
// response of c, where there is one, has its place right behind the event that
// says so and the withdrawal from the other surfaces.
func (b *Approvals) Answer(ctx context.Context, c *wire.Call, id string, a session.Answer) (session.Outcome, error) {
	q := b.Get(id)
	if q == nil {
		return session.Outcome{Status: b.Absent(id)}, nil
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
func (b *Approvals) take(ctx context.Context, q *PendingApproval, a session.Answer) bool {
	select {
	case q.answers <- a:
		return true
	case <-q.ctx.Done():
	case <-ctx.Done():
	}
	return false
}

// refuses is said when a client turned out not to know message requests, which may be
// the last way to ask it: anyone who waits for an answer looks again whether there can be
// one.
func (b *Approvals) refuses() {
	b.refused.Store(true)
	for _, q := range b.Pending("") {
		b.unlessNobody(q)
	}
}

// unasked is the oldest question that was not offered as a message request, and counts
// as offered from now on; nil where there is none, or the client knows no such request.
func (b *Approvals) unasked() *PendingApproval {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refused.Load() {
		return nil
	}
	for _, id := range b.order {
		if q := b.open[id]; !q.offered && q.ctx != nil && !q.over() {
			q.offered = true
			return q
		}
	}
	return nil
}

// unlessNobody lets who waits for an answer look, where nobody can give one.
func (b *Approvals) unlessNobody(q *PendingApproval) {
	if b.CanAnswer() {
		return
	}
	b.Background(func() {
		select {
		case <-q.ready:
			b.take(context.Background(), q, session.Answer{})
		case <-b.present.Done():
		}
	})
}

// Absent says whether there ever was such a question: in this process, or in
// the log of the session that its id names.
func (b *Approvals) Absent(id string) string {
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
	found, err := b.sessions.Get(of)
	if err != nil {
		return "not_found"
	}
	page, err := found.Events(context.Background(), history.PageQuery{After: seq - 1, Limit: 1, Before: seq + 1, Types: []string{"approval.requested"}})
	if err != nil || len(page.Events) == 0 {
		return "not_found"
	}
	return "already_resolved"
}

// review remembers that the person has opened a question here, with the rules in it
// or, where what was opened is the documents of a diff, without them: there nobody
// sees what `always` would store.
func (b *Approvals) review(q *PendingApproval, rules bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	q.rulesShown = q.rulesShown || rules
	q.reviewed = true
	q.offered = false
}

// opened takes notice that the editor has asked for a document of a question's diff,
// and says whether that was the last one.
func (b *Approvals) opened(q *PendingApproval, uri string) (all bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !q.unopened[uri] {
		return false
	}
	delete(q.unopened, uri)
	return len(q.unopened) == 0
}

// kept says where the review of a question is.
func (b *Approvals) kept(q *PendingApproval, path string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	q.file = path
}

// reviewedIn is the open question whose review is that file, nil for another.
func (b *Approvals) reviewedIn(path string) *PendingApproval {
	if filepath.Ext(path) != ".diff" {
		return nil
	}
	for _, q := range b.Pending("") {
		b.mu.Lock()
		mine := q.file == path
		b.mu.Unlock()
		if mine {
			return q
		}
	}
	return nil
}

// seen says whether the review was opened on this connection, and with the rules in it.
func (b *Approvals) seen(q *PendingApproval) (review, rules bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return q.reviewed, q.rulesShown
}

// seenWhole says that a line of limit characters may offer a yes.
func (b *Approvals) seenWhole(q *PendingApproval, limit int) bool {
	reviewed, _ := b.seen(q)
	return reviewed || q.whole(limit)
}

// yes is one way to allow what is asked. offer is nil where no rule is stored by
// it: once, and always for loops, limits and the client's configuration.
type yes struct {
	decision string
	offer    *control.Offer
}

// yeses are what the question offers on surfaces with titles of limit characters:
// once and always; `session` is left to clients that know us. A rule that does
// not be there whole is not offered before the review was opened, where it
// does.
func (b *Approvals) yeses(q *PendingApproval, limit int) (out []yes) {
	if slices.Contains(q.Decisions, "once") {
		out = append(out, yes{"once", nil})
	}
	if !slices.Contains(q.Decisions, "always") {
		return out
	}
	_, shown := b.seen(q)
	for i := range q.Always {
		if !shown && len([]rune(control.Title(q.Always[i].PlainNames(), 0))) > limit {
			continue
		}
		out = append(out, yes{"always", &q.Always[i]})
	}
	if len(q.Always) == 0 {
		out = append(out, yes{"always", nil})
	}
	return out
}
