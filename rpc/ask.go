package rpc

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/text"
)

// quiet is how long after a keystroke no question pops up, so that what a person
// types is never an answer (ruling 82).
const quiet = 2 * time.Second

// surfaces puts a question where the client can be asked actively: the server
// request of clients that declared it, else window/showMessageRequest, one at a
// time. Code actions need nothing: they are looked up when somebody asks.
func (b *board) surfaces(q *openQuestion) {
	switch {
	case b.s.client.wantsRequest():
		b.s.goWork(func() { b.askClient(q) })
	case b.s.client.messageRequest:
		b.nextMessage()
	}
}

// askClient sends agent/client/approve; null, an error or an unknown word leave
// the question open (protocol §4.2).
func (b *board) askClient(q *openQuestion) {
	var p *approveParams
	err := b.s.conn.call(q.ctx, "agent/client/approve", map[string]any{"approval": q.Approval}, &p)
	if err != nil || p == nil {
		return
	}
	answer := session.Answer{Decision: p.Decision, Digest: p.Digest, Feedback: p.Feedback, Interrupt: p.Interrupt, By: "client"}
	if offered(q.Approval, *p, &answer) == nil {
		_, _ = b.answer(q.ctx, q.ApprovalID, answer) // a question that is gone needs no answer
	}
}

// nextMessage shows the oldest question that was not offered yet as a message
// request, when none is out.
func (b *board) nextMessage() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.asking || b.refused {
		return
	}
	for _, id := range b.order {
		if !b.asked[id] {
			b.asking, b.asked[id] = true, true
			q := b.open[id]
			b.s.goWork(func() {
				b.askMessage(q)
				b.mu.Lock()
				b.asking = false
				b.mu.Unlock()
				b.nextMessage()
			})
			return
		}
	}
}

// askMessage asks once. The first item is never a yes, and there is no yes at
// all while the person has not seen the whole object (ruling 82).
func (b *board) askMessage(q *openQuestion) {
	if !b.s.waitQuiet(q.ctx) {
		return
	}
	items, answers := b.items(q)
	actions := make([]map[string]string, len(items))
	for i, title := range items {
		actions[i] = map[string]string{"title": title}
	}
	var chosen *struct {
		Title string `json:"title"`
	}
	err := b.s.conn.call(q.ctx, "window/showMessageRequest", map[string]any{
		"type": messageWarning, "message": text.AgentAsks.In(b.s.client.locale, q.Title, q.Reason), "actions": actions,
	}, &chosen)
	var refused *clientError
	if errors.As(err, &refused) && isMethodNotFound(err) {
		b.mu.Lock()
		b.refused = true
		b.mu.Unlock()
		return
	}
	if err != nil || chosen == nil {
		return // dismissed: it stays answerable elsewhere
	}
	for i, title := range items {
		if title != chosen.Title {
			continue
		}
		if answers[i] == nil {
			b.s.openReview(q.ctx, q)
			return
		}
		answers[i].By = "message_request"
		_, _ = b.answer(q.ctx, q.ApprovalID, *answers[i])
		return
	}
}

// items are the choices with their answers; nil is the review.
func (b *board) items(q *openQuestion) (titles []string, answers []*session.Answer) {
	locale := b.s.client.locale
	add := func(title string, a *session.Answer) { titles, answers = append(titles, title), append(answers, a) }
	add(text.Review.In(locale), nil)
	add(text.Reject.In(locale), &session.Answer{Decision: "reject", Digest: q.Digest})
	if !b.shown(q) {
		return titles, answers
	}
	if slices.Contains(q.Decisions, "once") {
		add(text.AllowOnce.In(locale), &session.Answer{Decision: "once", Digest: q.Digest})
	}
	if q.plainAlways() {
		add(text.AlwaysAllowOf.In(locale, control.Title(q.Title, 120)), &session.Answer{Decision: "always", Digest: q.Digest})
	}
	for _, o := range q.Always {
		add(text.AlwaysAllowOf.In(locale, control.Title(o.Label, 120)), &session.Answer{Decision: "always", OfferID: o.ID, Digest: q.Digest})
	}
	return titles, answers
}

// waitQuiet waits until nothing was typed for two seconds; false when the
// question is gone before.
func (s *Server) waitQuiet(ctx context.Context) bool {
	for {
		s.mu.Lock()
		left := quiet - time.Since(s.edited)
		never := s.edited.IsZero()
		s.mu.Unlock()
		if never || left <= 0 {
			return ctx.Err() == nil
		}
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return false
		}
	}
}
