// Package questions is how the model asks the person: one tool that puts questions to whoever
// is there and waits for the answers. What is asked and what was answered is in the journal.
// An answer is text for the model and nothing else: it allows no call.
package questions

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Name is that of the tool.
const Name = "ask_user"

//go:embed ask_user.md
var description string

// Of one call: questions, options a question, and characters of each text.
const (
	mostQuestions = 4
	mostOptions   = 8
	maxHeader     = 24
	maxQuestion   = 1000
	maxLabel      = 120
	maxText       = 400      // of an option's description
	maxAnswer     = 16 << 10 // bytes of the person's own words
)

// Person is who can be asked. The client implements it.
type Person interface {
	// CanQuestion says whether there is anybody who can be asked more than yes or no.
	CanQuestion() bool
	// Question shows q until ctx ends, which withdraws it. What the person answers comes
	// over the channel; silence is no answer. Question does not block.
	Question(ctx context.Context, q history.QuestionAsked) <-chan Reply
}

// Reply is a person's word on questions.
type Reply struct {
	Answers []history.QuestionAnswer // none: they are dismissed
	Later   bool                     // dismissed, because the person answers in a prompt
	Nobody  bool                     // nobody is left who could answer
	By      string                   // client, message_request
	// Settle is told whether the reply counts: the first one does. It may be nil.
	Settle func(counts bool)
}

func (r Reply) settle(counts bool) {
	if r.Settle != nil {
		r.Settle(counts)
	}
}

type args struct {
	Questions []question `json:"questions" jsonschema:"one to four"`
}

type question struct {
	Question string   `json:"question" jsonschema:"the whole question, in one or two sentences"`
	Header   string   `json:"header,omitempty" jsonschema:"one or two words above it"`
	Options  []option `json:"options,omitempty" jsonschema:"answers to choose from; none for a free answer"`
	Multiple bool     `json:"multiple,omitempty" jsonschema:"several options may be chosen"`
}

type option struct {
	Label       string `json:"label" jsonschema:"the answer, in a few words"`
	Description string `json:"description,omitempty" jsonschema:"what it means or costs"`
}

// Session is the one in which the person is asked.
type Session interface {
	// Waiting is called when a person begins to think; what it returns, when they have
	// answered.
	Waiting(callID string) (done func())
	// Hidden is a text without its secrets.
	Hidden(text string) string
}

// Tool asks person, and notes what became of it in j.
func Tool(j *journal.Journal, person Person, in Session) tool.Tool {
	k := asker{j, person, in}
	spec := tool.Spec{Name: Name, Effect: tool.Read, Description: description}
	return tool.Define(spec, func(in args) (*tool.Plan, error) {
		asked, err := in.asked()
		if err != nil {
			return nil, err
		}
		return &tool.Plan{
			Title:   "ask: " + control.Title(asked[0].Question, 100),
			Targets: []tool.Target{{Domain: tool.DomainInternal, Object: "internal:" + Name}},
			Run: func(ctx context.Context, _ tool.Grant, out tool.Sink) (tool.Result, error) {
				if !person.CanQuestion() {
					return tool.Result{Text: nobody}, nil
				}
				defer k.session.Waiting(out.CallID())()
				return k.ask(ctx, k.hidden(history.QuestionAsked{CallID: out.CallID(), Questions: asked}))
			},
		}, nil
	})
}

// asked are the questions as people see them: bounded, and with nothing hidden in them.
func (a args) asked() ([]history.Question, error) {
	if n := len(a.Questions); n < 1 || n > mostQuestions {
		return nil, fmt.Errorf(`argument "questions" has %d entries; ask 1 to %d at once`, n, mostQuestions)
	}
	out := make([]history.Question, len(a.Questions))
	for i, q := range a.Questions {
		var err error
		if out[i], err = q.asked(); err != nil {
			return nil, fmt.Errorf("question %d: %w", i+1, err)
		}
	}
	return out, nil
}

func (q question) asked() (history.Question, error) {
	text := control.Title(q.Question, maxQuestion)
	switch {
	case strings.TrimSpace(text) == "":
		return history.Question{}, errors.New(`"question" is empty`)
	case len(q.Options) > mostOptions:
		return history.Question{}, fmt.Errorf("it has %d options; offer %d at most", len(q.Options), mostOptions)
	}
	out := history.Question{Question: text, Header: control.Title(q.Header, maxHeader), Options: []history.QuestionOption{}, Multiple: q.Multiple && len(q.Options) > 1}
	known := map[string]bool{}
	for _, o := range q.Options {
		label := control.Title(o.Label, maxLabel)
		switch {
		case strings.TrimSpace(label) == "":
			return out, errors.New(`an option has an empty "label"`)
		case known[label]:
			return out, fmt.Errorf("two options are called %q", label)
		}
		known[label] = true
		out.Options = append(out.Options, history.QuestionOption{Label: label, Description: control.Title(o.Description, maxText)})
	}
	return out, nil
}

// What the model reads where it got no answer.
const (
	nobody    = "Nobody is there to answer. Decide by yourself, take the option that is easiest to undo, and say at the end what you assumed."
	dismissed = "The user closed the questions without an answer. Do not ask them again. Decide by yourself where that is easy to undo, and say what you assumed; else say what you need to know."
	later     = "The user will answer in their next message."
)

// asker is the tool at work.
type asker struct {
	journal *journal.Journal
	person  Person
	session Session
}

// hidden are the questions without the secrets of the session.
func (k asker) hidden(q history.QuestionAsked) history.QuestionAsked {
	for i := range q.Questions {
		one := &q.Questions[i]
		one.Question, one.Header = k.session.Hidden(one.Question), k.session.Hidden(one.Header)
		for o := range one.Options {
			one.Options[o].Label, one.Options[o].Description = k.session.Hidden(one.Options[o].Label), k.session.Hidden(one.Options[o].Description)
		}
	}
	return q
}

// ask asks, and says what the model reads.
func (k asker) ask(ctx context.Context, q history.QuestionAsked) (tool.Result, error) {
	r, err := k.await(ctx, &q)
	if err != nil {
		if ctx.Err() != nil {
			return tool.Result{}, context.Cause(ctx)
		}
		return tool.Failed(err), nil
	}
	if r.Nobody {
		return tool.Result{Text: nobody}, nil
	}
	return result(q, r.Answers, r.Later), nil
}

// await waits for the first reply that answers what was asked.
func (k asker) await(ctx context.Context, q *history.QuestionAsked) (Reply, error) {
	ctx, withdraw := context.WithCancel(ctx)
	defer withdraw()
	if err := k.put(q); err != nil {
		return Reply{}, err
	}
	replies := k.person.Question(ctx, *q)
	for {
		select {
		case <-ctx.Done():
			k.answered(*q, nil, "cancel")
			return Reply{}, context.Cause(ctx)
		case reply := <-replies:
			switch {
			case ctx.Err() != nil: // an answer that comes with a cancel is too late
				reply.settle(false)
			case reply.Nobody:
				k.answered(*q, nil, "nobody")
				reply.settle(true)
				return Reply{Nobody: true}, nil
			case len(reply.Answers) > 0 && q.Check(reply.Answers) != nil:
				reply.settle(false)
			default:
				answers := k.bounded(reply.Answers)
				k.answered(*q, answers, reply.By)
				reply.settle(true)
				return Reply{Answers: answers, Later: reply.Later}, nil
			}
		}
	}
}

// put records the questions, by whose id they are answered.
func (k asker) put(q *history.QuestionAsked) error {
	x := k.journal.Begin()
	defer x.End()
	q.QuestionID = x.NewID("u")
	return x.Append(runOf(x), *q)
}

// answered records what became of them. A log that cannot be written has been reported.
func (k asker) answered(q history.QuestionAsked, answers []history.QuestionAnswer, by string) {
	x := k.journal.Begin()
	defer x.End()
	if answers == nil {
		answers = []history.QuestionAnswer{}
	}
	_ = x.Append(runOf(x), history.QuestionAnswered{QuestionID: q.QuestionID, CallID: q.CallID, Answers: answers, By: by})
}

func runOf(x *journal.Txn) string {
	if x.State.Run == nil {
		return ""
	}
	return x.State.Run.ID
}

// bounded are answers as they are kept.
func (k asker) bounded(answers []history.QuestionAnswer) []history.QuestionAnswer {
	var out []history.QuestionAnswer
	for _, a := range answers {
		text := k.session.Hidden(history.Clean(strings.TrimSpace(a.Text)))
		if len(text) > maxAnswer {
			text = strings.ToValidUTF8(text[:maxAnswer], "")
		}
		choices := append([]string{}, a.Choices...)
		out = append(out, history.QuestionAnswer{Choices: choices, Text: text})
	}
	return out
}

// result is what the model reads.
func result(q history.QuestionAsked, answers []history.QuestionAnswer, inPrompt bool) tool.Result {
	switch {
	case inPrompt:
		return tool.Result{Text: later, Ends: said.That("Waiting for your answer in the next prompt.")}
	case len(answers) == 0:
		return tool.Result{Text: dismissed}
	}
	var b strings.Builder
	b.WriteString("The user answered:\n")
	for i, a := range answers {
		fmt.Fprintf(&b, "\n%s\n→ %s\n", q.Questions[i].Question, answerText(a))
	}
	return tool.Result{Text: strings.TrimRight(b.String(), "\n")}
}

func answerText(a history.QuestionAnswer) string {
	chosen := strings.Join(a.Choices, "; ")
	switch {
	case a.Empty():
		return "(not answered: decide by yourself)"
	case a.Text == "":
		return chosen
	case chosen == "":
		return a.Text
	}
	return chosen + " (" + a.Text + ")"
}
