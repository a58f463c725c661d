package session

import (
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/control/secrets"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// textShown is a text of the model that is shown while it comes, without its secrets:
// what may be the beginning of one waits for what comes behind it. All that it gives,
// joined, is the text as it is recorded.
type textShown struct {
	redactor *placeholder.Redactor
	held     string
}

// next is what can be shown now that piece has come; "" is nothing.
func (t *textShown) next(piece string) string {
	text := t.held + history.Clean(piece)
	at := len(text) - secrets.Pending(text)
	t.held = text[at:]
	return t.redactor.RedactAgain(text[:at])
}

// rest is what is left once nothing comes any more.
func (t *textShown) rest() string {
	text := t.redactor.RedactAgain(t.held)
	t.held = ""
	return text
}

// answerShown shows an answer while it comes.
type answerShown struct {
	watchers  *watchers
	run       string
	id        string // of the message
	tools     tool.Set
	began     bool   // something was shown, or is kept back
	blank     string // blanks in front of the text, which wait for it: a blank text is none
	spoke     bool   // there is text
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

func (w *worker) newAnswerShown(r *run) *answerShown {
	return &answerShown{watchers: w.watchers, run: r.id, tools: r.tools, id: w.journal.NewID("m"), names: newCallNames(w.journal), calls: map[int]*inputShown{},
		text: textShown{redactor: w.root.redactor}, reasoning: textShown{redactor: w.root.redactor}}
}

func (a *answerShown) showText(text string) {
	if !a.spoke {
		a.blank += text
		if text = unlessBlank(a.blank); text != "" {
			a.spoke = true
		}
	}
	a.show("message.delta", text)
}

// unlessBlank is text, or nothing where there is nothing to read in it: providers
// refuse such a text, and a history that holds one.
func unlessBlank(text string) string {
	if model.IsBlank(text) {
		return ""
	}
	return text
}

func (a *answerShown) showReasoning(text string) { a.show("reasoning.delta", text) }

func (a *answerShown) show(kind, text string) {
	a.began = true
	for text != "" {
		piece := firstPiece(text)
		a.watchers.show(a.run, kind, Delta{a.id, piece})
		text = text[len(piece):]
	}
}

// maxPiece is the most that one delta has, in bytes: some servers send an answer of
// megabytes at once, and a client need not take frames of that size.
const maxPiece = 64 << 10

// firstPiece is as much of text as one delta takes; it ends between two characters.
func firstPiece(text string) string {
	if len(text) <= maxPiece {
		return text
	}
	n := maxPiece
	for n > maxPiece-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// showInput shows the next piece of the arguments of the call at index.
func (a *answerShown) showInput(index int, providerID, name, piece string) {
	c := a.calls[index]
	if c == nil {
		c = &inputShown{textShown: textShown{redactor: a.text.redactor}, callID: a.names.of(index, providerID)}
		a.calls[index], a.order = c, append(a.order, index)
	}
	if a.began = true; name != "" {
		c.tool, _ = toolOf(a.tools, name)
	}
	if text := c.next(piece); text != "" || piece == "" {
		a.showArguments(c, text)
	}
}

// showArguments shows text, which may be empty: then the call alone.
func (a *answerShown) showArguments(c *inputShown, text string) {
	for {
		piece := firstPiece(text)
		a.watchers.show(a.run, "tool.input", InputDelta{c.callID, c.tool, piece})
		if text = text[len(piece):]; text == "" {
			return
		}
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
			a.showArguments(c, c.rest())
		}
	}
}
