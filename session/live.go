package session

import (
	"github.com/agent-sidecar/agent-sidecar/control/secrets"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
)

// textShown is a text of the model that is shown while it comes, without its secrets:
// what may be the beginning of one waits for what comes behind it. All that it gives,
// joined, is the text as it is recorded.
type textShown struct {
	book *placeholder.Book
	held string
}

// next is what can be shown now that piece has come; "" is nothing.
func (t *textShown) next(piece string) string {
	text := t.held + history.Clean(piece)
	at := len(text) - secrets.Pending(text)
	t.held = text[at:]
	return t.book.Hide(text[:at])
}

// rest is what is left once nothing comes any more.
func (t *textShown) rest() string {
	text := t.book.Hide(t.held)
	t.held = ""
	return text
}

// answerShown shows an answer while it comes.
type answerShown struct {
	s         *Session
	run       string
	id        string // of the message
	began     bool   // something was shown, or is kept back
	text      textShown
	reasoning textShown
	names     *callNames
	calls     map[int]*inputShown // by their place in the answer
	order     []int
}

// inputShown are the arguments of one call.
type inputShown struct {
	textShown
	callID, tool string
}

func (s *Session) newAnswerShown(r *run) *answerShown {
	return &answerShown{s: s, run: r.id, id: s.newID("m"), names: s.newCallNames(), calls: map[int]*inputShown{},
		text: textShown{book: s.book()}, reasoning: textShown{book: s.book()}}
}

func (a *answerShown) showText(text string)      { a.show("message.delta", text) }
func (a *answerShown) showReasoning(text string) { a.show("reasoning.delta", text) }

func (a *answerShown) show(kind, text string) {
	if a.began = true; text != "" {
		a.s.show(a.run, kind, Delta{a.id, text})
	}
}

// showInput shows the next piece of the arguments of the call at index.
func (a *answerShown) showInput(index int, providerID, tool, piece string) {
	c := a.calls[index]
	if c == nil {
		c = &inputShown{textShown: textShown{book: a.s.book()}, callID: a.names.of(index, providerID)}
		a.calls[index], a.order = c, append(a.order, index)
	}
	c.tool, a.began = tool, true
	if text := c.next(piece); text != "" || piece == "" {
		a.s.show(a.run, "tool.input", InputDelta{c.callID, c.tool, text})
	}
}

// rest shows what was kept back, once the answer is whole.
func (a *answerShown) rest() {
	if text := a.reasoning.rest(); text != "" {
		a.showReasoning(text)
	}
	if text := a.text.rest(); text != "" {
		a.showText(text)
	}
	for _, index := range a.order {
		if c := a.calls[index]; c.held != "" {
			a.s.show(a.run, "tool.input", InputDelta{c.callID, c.tool, c.rest()})
		}
	}
}
