package surface

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Asker puts questions where the client can be asked actively, in messages: one at a
// time. Code actions need nothing: they are looked up when somebody asks.
type Asker struct {
	*Screen
	approvals   *Approvals
	annotations *annotations
	reviews     *reviews
	typing      *typing

	mu     sync.Mutex       // guards everything below; taken before that of the approvals
	turn   *PendingApproval // whose message request is out or waits; one a connection
	others []func()         // what else waits to ask in a message, oldest first
}

// nextMessage shows the oldest question that was not offered yet as a message
// request, when none is out.
func (a *Asker) nextMessage() {
	q := a.takeTurn()
	if q == nil {
		if ask, turn := a.takeOther(); ask != nil {
			a.Background(func() {
				ask()
				a.giveTurn(turn)
			})
		}
		return
	}
	if a.typing.untyped() <= 0 {
		a.askMessage(q)
		return
	}
	a.Background(func() {
		if a.typing.waitQuiet(q.ctx) {
			a.askMessage(q)
		} else {
			a.giveTurn(q)
		}
	})
}

// takeTurn is the question whose turn it is now, nil when one is out.
func (a *Asker) takeTurn() *PendingApproval {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.turn != nil {
		return nil
	}
	a.turn = a.approvals.unasked()
	return a.turn
}

// giveTurn lets the next question be asked when q's turn is over.
func (a *Asker) giveTurn(q *PendingApproval) {
	a.mu.Lock()
	mine := a.turn == q
	if mine {
		a.turn = nil
	}
	a.mu.Unlock()
	if mine {
		a.nextMessage()
	}
}

// askMessage asks once. The first item is never a yes, and there is no yes at
// all while the person has not seen the whole object.
func (a *Asker) askMessage(q *PendingApproval) {
	items, answers := a.approvals.items(q)
	if q.Labels != nil && len(items) > 2 { // the message has all of it, and the no comes first
		items, answers = items[1:], answers[1:]
	}
	asked, err := a.Screen.askMessage(Messages(q.asks(a.Locale, q.Title.String()+q.whose(), q.Reason.String())), items, AnswersTo(q.ApprovalID))
	if err != nil {
		return // the client is gone
	}
	a.approvals.Sent(q, asked)
	a.Background(func() {
		a.answered(q, items, answers, asked)
		a.giveTurn(q)
	})
}

// answered takes the client's answer to a message request.
func (a *Asker) answered(q *PendingApproval, items []Shown, answers []*session.Answer, asked *wire.Asking) {
	title, done, err := chosen(asked)
	defer done()
	if wire.IsMethodNotFound(err) {
		a.approvals.refuses()
		return
	}
	i := slices.IndexFunc(items, func(s Shown) bool { return string(s) == title })
	switch {
	case err != nil || i < 0: // dismissed: it stays answerable elsewhere
	case answers[i] == nil:
		a.OpenReview(q)
	default:
		answers[i].By = "message_request"
		_, _ = a.approvals.Answer(q.ctx, nil, q.ApprovalID, *answers[i])
	}
}

// inTurn lets something that is no approval ask the person in a message, when no other
// message asks. Where the client knows no such messages it is not called.
func (a *Asker) inTurn(ask func()) {
	a.mu.Lock()
	a.others = append(a.others, ask)
	a.mu.Unlock()
	a.nextMessage()
}

// takeOther is what asks next and is no approval, with the turn that it has.
func (a *Asker) takeOther() (ask func(), turn *PendingApproval) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.turn != nil || a.approvals.refused.Load() || len(a.others) == 0 {
		return nil, nil
	}
	ask, a.others = a.others[0], a.others[1:]
	a.turn = &PendingApproval{}
	return ask, a.turn
}

// Review remembers that the person has opened the whole of a question here; the
// surfaces that hid their yes may show it now.
func (a *Asker) Review(q *PendingApproval, rules bool) {
	a.approvals.review(q, rules)
	a.annotations.reviewed(q.ApprovalID)
	if a.MessageRequest {
		a.nextMessage()
	}
}

// Ask shows a question on every surface.
func (a *Asker) Ask(q *PendingApproval) {
	if a.MessageRequest {
		a.nextMessage()
	}
	a.annotations.add(q)
	a.approvals.unlessNobody(q)
}

// Withdraw takes a question off every surface right behind the event that says
// what became of it, and before anything that follows from that. It is called with
// the session locked and waits for nothing.
func (a *Asker) Withdraw(id string) {
	q := a.approvals.remove(id)
	if q == nil {
		return
	}
	a.approvals.retract(q)
	a.giveTurn(q)
	a.annotations.clear(id)
}

// OpenReview writes the review to a file and asks the editor to show it. It
// counts as seen when the editor has; one that shows no documents gets it as a
// message.
func (a *Asker) OpenReview(q *PendingApproval) (uri string) {
	path, err := a.reviews.write(q)
	if err != nil {
		a.Report("write a review", err)
		a.sayReview(q, path)
		return ""
	}
	again, _ := a.approvals.seen(q)
	a.Show(path, func(shown bool) {
		if !shown {
			a.sayReview(q, path)
		} else if told, _ := a.approvals.seen(q); again || !told { // else the editor has opened it, and said so
			a.Review(q, true)
		}
	})
	return fileuri.Of(path)
}

// Opened takes notice of a review that the person opened by themselves.
func (a *Asker) Opened(uri string) {
	if path, ok := fileuri.Path(uri); ok {
		if q := a.approvals.reviewedIn(path); q != nil {
			if seen, _ := a.approvals.seen(q); !seen {
				a.Review(q, true)
			}
		}
	}
}

// mostSaid is how much of a review is shown as a message, in bytes. What is longer
// cannot be seen so, and what was not seen is not allowed from a line.
const mostSaid = 8 << 10

func (a *Asker) sayReview(q *PendingApproval, path string) {
	if a.Plugin {
		return // it was given in the answer
	}
	if words := q.reviewText(); len(words) <= mostSaid {
		if path != "" { // first, because an editor may show only the beginning
			words = locale.OpenByHand.In(a.Locale, control.Title(path, 0)) + "\n" + words
		}
		a.Say(MessageInfo, Messages(words))
		a.Review(q, true)
	} else {
		a.Say(MessageWarning, Messages(locale.ReviewTooLong.In(a.Locale, path)))
	}
}

// Side is a file of a question's diff as it is, or as it would be, by the parts of its
// URI. The review counts as opened when the editor has every file as it would be.
func (a *Asker) Side(q *PendingApproval, parts []string) (text string, found bool) {
	<-q.ready // the session asks right after it has told
	for _, d := range q.documents {
		for _, side := range []struct{ uri, text string }{{d.Before, d.BeforeText}, {d.After, d.AfterText}} {
			if _, its := history.DocumentParts(side.uri); !slices.Equal(its, parts) {
				continue
			}
			if side.uri == d.After && a.approvals.opened(q, d.After) {
				a.Review(q, false)
			}
			return side.text, true
		}
	}
	return "", false
}

// quiet is how long after a keystroke no question pops up, so that what a person
// types is never an answer.
const quiet = 2 * time.Second

// typing knows when the person typed last.
type typing struct{ last atomic.Pointer[time.Time] }

// typed says that the person types now.
func (t *typing) typed() {
	now := time.Now()
	t.last.Store(&now)
}

// untyped is how long it takes until nothing was typed for two seconds.
func (t *typing) untyped() time.Duration {
	if last := t.last.Load(); last != nil {
		return quiet - time.Since(*last)
	}
	return 0
}

// waitQuiet waits until nothing was typed for two seconds; false when ctx ends
// before.
func (t *typing) waitQuiet(ctx context.Context) bool {
	for left := t.untyped(); left > 0; left = t.untyped() {
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
