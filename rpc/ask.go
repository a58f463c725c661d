package rpc

import (
	"context"
	"slices"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/text"
)

// quiet is how long after a keystroke no question pops up, so that what a person
// types is never an answer.
const quiet = 2 * time.Second

// surfaces puts a question where the client can be asked actively: the server
// request of clients that declared it, else window/showMessageRequest, one at a
// time. Code actions need nothing: they are looked up when somebody asks.
func (b *board) surfaces(q *openQuestion) {
	switch {
	case b.s.client.wantsRequest():
		b.askClient(q)
	case b.s.client.messageRequest:
		b.nextMessage()
	}
}

// askMethod asks a client that takes questions as requests.
const askMethod = "agent/client/approve"

type askedParams struct {
	Approval history.Approval `json:"approval"`
}

// askedAnswer is what agent/approve takes; which question it is about is known.
type askedAnswer approveParams

// askClient sends agent/client/approve; null, an error or an unknown word leave
// the question open.
func (b *board) askClient(q *openQuestion) {
	asked, err := b.s.conn.AskInTurn(context.Background(), askMethod, askedParams{q.Approval}, answersTo(q.ApprovalID))
	if err != nil {
		return
	}
	b.out(q, asked)
	b.s.goWork(func() {
		var p *approveParams
		done, err := asked.WaitInTurn(&p)
		defer done()
		if err != nil || p == nil {
			return
		}
		if answer, err := p.answerTo(q.Approval, "client"); err == nil {
			_, _ = b.answer(q.ctx, nil, q.ApprovalID, answer) // a question that is gone needs no answer
		}
	})
}

// nextMessage shows the oldest question that was not offered yet as a message
// request, when none is out.
func (b *board) nextMessage() {
	q := b.takeTurn()
	if q == nil {
		if ask, turn := b.takeOther(); ask != nil {
			b.s.goWork(func() {
				ask()
				b.giveTurn(turn)
			})
		}
		return
	}
	if b.s.untyped() <= 0 {
		b.askMessage(q)
		return
	}
	b.s.goWork(func() {
		if b.s.waitQuiet(q.ctx) {
			b.askMessage(q)
		} else {
			b.giveTurn(q)
		}
	})
}

// takeTurn is the question whose turn it is, nil when one is out.
func (b *board) takeTurn() *openQuestion {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.turn != nil || b.refused {
		return nil
	}
	for _, id := range b.order {
		if q := b.open[id]; !b.asked[id] && q.ctx != nil && !q.over() {
			b.turn, b.asked[id] = q, true
			return q
		}
	}
	return nil
}

// giveTurn lets the next question be asked when q's turn is over.
func (b *board) giveTurn(q *openQuestion) {
	b.mu.Lock()
	mine := b.turn == q
	if mine {
		b.turn = nil
	}
	b.mu.Unlock()
	if mine {
		b.nextMessage()
	}
}

// askMessage asks once. The first item is never a yes, and there is no yes at
// all while the person has not seen the whole object.
func (b *board) askMessage(q *openQuestion) {
	items, answers := b.items(q)
	if q.Labels != nil && len(items) > 2 { // the message has all of it, and the no comes first
		items, answers = items[1:], answers[1:]
	}
	asked, err := b.s.conn.AskInTurn(context.Background(), "window/showMessageRequest",
		messageRequest{Type: messageWarning, Message: messages(b.s.asks(q, q.Title+q.whose(), q.Reason)), Actions: actionsOf(items)}, answersTo(q.ApprovalID))
	if err != nil {
		return // the client is gone
	}
	b.out(q, asked)
	b.s.goWork(func() {
		b.answered(q, items, answers, asked)
		b.giveTurn(q)
	})
}

// asks is a question as one message. One of domain config is the sidecar's own, not
// the agent's.
func (s *Server) asks(q *openQuestion, what, reason string) string {
	if q.Labels != nil {
		return what + " " + reason
	}
	return text.AgentAsks.In(s.client.locale, what, reason)
}

// answered takes the client's answer to a message request.
func (b *board) answered(q *openQuestion, items []shown, answers []*session.Answer, asked *wire.Asking) {
	var chosen *struct {
		Title string `json:"title"`
	}
	done, err := asked.WaitInTurn(&chosen)
	defer done()
	if wire.IsMethodNotFound(err) {
		b.mu.Lock()
		b.refused = true
		b.mu.Unlock()
		b.nobodyLeft()
		return
	}
	if err != nil || chosen == nil {
		return // dismissed: it stays answerable elsewhere
	}
	for i, title := range items {
		if string(title) != chosen.Title {
			continue
		}
		if answers[i] == nil {
			b.s.openReview(q)
			return
		}
		answers[i].By = "message_request"
		_, _ = b.answer(q.ctx, nil, q.ApprovalID, *answers[i])
		return
	}
}

// items are the choices with their answers; nil is the review.
func (b *board) items(q *openQuestion) (titles []shown, answers []*session.Answer) {
	locale := b.s.client.locale
	add := func(title string, a *session.Answer) {
		titles, answers = append(titles, message(title)), append(answers, a)
	}
	add(text.Review.In(locale), nil)
	add(q.label("reject", text.Reject.In(locale)), &session.Answer{Decision: "reject", Digest: q.Digest})
	if !b.reviewedHere(q) && !q.whole(shortTitle) {
		return titles, answers
	}
	for _, y := range b.s.yeses(q, shortTitle) {
		title, a := text.AllowOnce.In(locale), &session.Answer{Decision: y.decision, Digest: q.Digest}
		switch {
		case y.offer != nil:
			title, a.OfferID = alwaysTitle(locale, *y.offer), y.offer.ID
		case y.decision == "always":
			title = q.label("always", text.AlwaysAllowOf.In(locale, q.what(shortTitle)))
		}
		if !slices.Contains(titles, message(title)) { // the client answers with a title, so two may not be the same
			add(title, a)
		}
	}
	return titles, answers
}

// alwaysTitle says what always would allow from now on, and where.
func alwaysTitle(locale string, o control.Offer) string {
	if o.Workspace != "" {
		return text.AlwaysWorkspace.In(locale, control.Title(o.PlainNames(), shortTitle))
	}
	return text.AlwaysEverywhere.In(locale, control.Title(o.PlainNames(), shortTitle))
}

// untyped is how long it takes until nothing was typed for two seconds.
func (s *Server) untyped() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.edited.IsZero() {
		return 0
	}
	return quiet - time.Since(s.edited)
}

// waitQuiet waits until nothing was typed for two seconds; false when the
// question is gone before.
func (s *Server) waitQuiet(ctx context.Context) bool {
	for left := s.untyped(); left > 0; left = s.untyped() {
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return false
		}
	}
	return ctx.Err() == nil
}
