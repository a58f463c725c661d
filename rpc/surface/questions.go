package surface

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/questions"
)

// Questions are what the model has asked the person on this connection. The first reply
// counts. A client that knows us answers with a request; any other is asked in messages,
// one question after the other.
type Questions struct {
	*Screen
	asker *Asker

	mu    sync.Mutex // guards everything below
	open  map[string]*openQuestion
	order []string // of open, oldest first
}

// openQuestion is one call's questions.
type openQuestion struct {
	history.QuestionAsked
	replies chan questions.Reply // unbuffered: taken means taken by the session
	ready   chan struct{}        // closed when the session listens
	ctx     context.Context      // ends when they are withdrawn; nil before ready
	asking  bool                 // a message about them is out, or has its turn
}

// CanQuestion says whether the client can show questions.
func (b *Questions) CanQuestion() bool {
	if b.Plugin {
		return b.Facts.Questions
	}
	return b.MessageRequest && !b.asker.approvals.refused.Load()
}

// Expect adds questions before their event is on the wire, for a client that answers at once.
func (b *Questions) Expect(asked history.QuestionAsked) *openQuestion {
	b.mu.Lock()
	defer b.mu.Unlock()
	if q := b.open[asked.QuestionID]; q != nil {
		return q
	}
	q := &openQuestion{QuestionAsked: asked, replies: make(chan questions.Reply), ready: make(chan struct{})}
	b.open[asked.QuestionID] = q
	b.order = append(b.order, asked.QuestionID)
	return q
}

// Listen shows questions until ctx ends.
func (b *Questions) Listen(ctx context.Context, asked history.QuestionAsked) <-chan questions.Reply {
	q := b.Expect(asked)
	b.mu.Lock()
	q.ctx = ctx
	b.mu.Unlock()
	close(q.ready)
	if !b.Plugin {
		b.Ask(asked.QuestionID)
	}
	return q.replies
}

// withdraw takes answered questions off.
func (b *Questions) withdraw(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.open, id)
	b.order = slices.DeleteFunc(b.order, func(o string) bool { return o == id })
}

// get are open questions, nil where they are answered.
func (b *Questions) get(id string) *openQuestion {
	b.mu.Lock()
	defer b.mu.Unlock()
	if q := b.open[id]; q != nil && (q.ctx == nil || q.ctx.Err() == nil) {
		return q
	}
	return nil
}

// Check says why answers are none to the questions of id; nil where there are none such.
func (b *Questions) Check(id string, answers []history.QuestionAnswer) error {
	if q := b.get(id); q != nil {
		return q.Check(answers)
	}
	return nil
}

// Answer gives a person's words to the session and returns what became of them: applied,
// already_resolved or not_found. The response of c, where there is one, has its place right
// behind the event that says so.
func (b *Questions) Answer(ctx context.Context, c *wire.Call, id string, reply questions.Reply) (status string, err error) {
	q := b.get(id)
	if q == nil {
		return b.absent(id), nil
	}
	select {
	case <-q.ready:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	settled := make(chan bool, 1)
	reply.Settle = func(counts bool) {
		if c != nil && counts {
			c.Reserve()
		}
		settled <- counts
	}
	select {
	case q.replies <- reply:
	case <-q.ctx.Done():
		return "already_resolved", nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	select {
	case counts := <-settled:
		if counts {
			return "applied", nil
		}
		return "already_resolved", nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// absent says whether there ever were such questions: the log of the session that the id
// names says so.
func (b *Questions) absent(id string) string {
	of, n, _ := strings.Cut(id, "-u")
	n, _, _ = strings.Cut(n, ".")
	seq, err := strconv.ParseInt(n, 10, 64)
	if err != nil || seq < 1 {
		return "not_found"
	}
	found, err := b.sessions.Get(of)
	if err != nil {
		return "not_found"
	}
	page, err := found.Events(context.Background(), history.PageQuery{After: seq - 1, Limit: 1, Before: seq + 1, Types: []string{"question.asked"}})
	if err != nil || len(page.Events) == 0 {
		return "not_found"
	}
	return "already_resolved"
}

// questionText is a question with all its options, which a message offers only in part.
func questionText(q history.Question, i, of int) string {
	var b strings.Builder
	if of > 1 {
		fmt.Fprintf(&b, "(%d/%d) ", i+1, of)
	}
	b.WriteString(q.Question)
	told := len(q.Options) > mostChoices || slices.ContainsFunc(q.Options, func(o history.QuestionOption) bool { return o.Description != "" })
	for _, o := range q.Options {
		if !told { // the buttons say it all
			break
		}
		b.WriteString("\n- " + o.Label)
		if o.Description != "" {
			b.WriteString(": " + o.Description)
		}
	}
	return b.String()
}

// choices offer to answer what is asked, for a client whose person closed the message.
func (b *Questions) choices() (out []choice) {
	if b.Plugin {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, id := range b.order {
		if q := b.open[id]; !q.asking {
			title := locale.AnswerQuestion.In(b.Locale, control.Title(q.Questions[0].Question, shortTitle))
			out = append(out, choice{Line(title, 0), "agent.answer", CommandAnswer, map[string]any{"questionId": id}})
		}
	}
	return out
}

// mostChoices is how many answers a message offers beside that in a prompt.
const mostChoices = 3

// Ask asks the person in messages, when no other message asks. It does not wait.
func (b *Questions) Ask(id string) {
	q := b.get(id)
	if q == nil || !b.begin(q) {
		return
	}
	b.asker.inTurn(func() {
		answers, closed := b.inMessages(q)
		b.mu.Lock()
		q.asking = false
		b.mu.Unlock()
		switch {
		case b.asker.approvals.refused.Load():
			_, _ = b.Answer(q.ctx, nil, id, questions.Reply{Nobody: true})
		case closed: // it can be answered from the code actions
		case answers == nil:
			_, _ = b.Answer(q.ctx, nil, id, questions.Reply{Later: true, By: "message_request"})
		default:
			_, _ = b.Answer(q.ctx, nil, id, questions.Reply{Answers: answers, By: "message_request"})
		}
	})
}

func (b *Questions) begin(q *openQuestion) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if q.asking || q.ctx == nil {
		return false
	}
	q.asking = true
	return true
}

// inMessages asks one question after the other. Without answers the person wants to answer
// in a prompt; closed says that they have closed a message, which is no answer.
func (b *Questions) inMessages(q *openQuestion) (answers []history.QuestionAnswer, closed bool) {
	inPrompt := locale.AnswerInPrompt.In(b.Locale)
	for i, one := range q.Questions {
		if !b.asker.typing.waitQuiet(q.ctx) {
			return nil, true
		}
		titles, labels := []Shown{}, []string{}
		for _, o := range one.Options[:min(len(one.Options), mostChoices)] {
			if title := Line(o.Label, shortTitle); o.Label != inPrompt && !slices.Contains(titles, title) {
				titles, labels = append(titles, title), append(labels, o.Label)
			}
		}
		titles = append(titles, Line(inPrompt, 0))
		asked, err := b.askMessage(Messages(questionText(one, i, len(q.Questions))), titles, AnswersTo(q.QuestionID))
		if err != nil {
			return nil, true
		}
		retract := context.AfterFunc(q.ctx, asked.Retract)
		title, done, err := chosen(asked)
		retract()
		if wire.IsMethodNotFound(err) {
			b.asker.approvals.refuses()
		}
		at := slices.IndexFunc(titles, func(s Shown) bool { return string(s) == title })
		done()
		switch {
		case err != nil || at < 0:
			return nil, true
		case at == len(labels):
			return nil, false
		}
		answers = append(answers, history.QuestionAnswer{Choices: []string{labels[at]}})
	}
	return answers, false
}
