package session

import "github.com/agent-sidecar/agent-sidecar/session/history"

// What an answer of the model may cost its line of the log, in bytes.
const (
	maxText       = 128 << 10 // of its own words
	maxTextInLine = 150 << 10 // the same, encoded
	maxAnswer     = 190 << 10 // all of the line but its envelope
	// mostCalls is how many calls of one answer are taken; the others were never
	// made.
	mostCalls = 200
)

// bound keeps the line of an answer under its limit: what is longer is stored
// beside it, largest first, until the rest fits.
func (w *worker) bound(a *history.AssistantMessage) {
	if len(a.Text) > maxText || encodedSize(a.Text) > maxTextInLine {
		w.cutWords(a, maxTextInLine)
	}
	a.Reasoning = cutText(a.Reasoning, maxText/4)
	if len(a.Calls) > mostCalls {
		a.Calls = a.Calls[:mostCalls]
	}
	room := maxInline // of all calls together
	for i := range a.Calls {
		c := &a.Calls[i]
		if len(c.Input) > min(room, maxInline/4) {
			c.Input = w.blobs.offloadInput(c.Input, 0)
		}
		c.Raw = cutText(c.Raw, maxText/8)
		room -= len(c.Input) + len(c.Raw)
	}
	for _, shrink := range []func(*history.AssistantMessage){w.blobs.offloadOpaque, w.blobs.offloadCalls, dropReasoning, w.fewWords, dropExtras} {
		if line, err := history.Marshal(a); err == nil && len(line) <= maxAnswer {
			return
		}
		shrink(a)
	}
}

// cutWords leaves at most max bytes of the model's words in the line; all of them
// are in an artifact.
func (w *worker) cutWords(a *history.AssistantMessage, max int) {
	if a.Artifact == nil {
		if ref, _, err := w.root.place().keep(w.root.id, "message", a.MessageID, a.Text); err == nil {
			a.Artifact = ref
		}
	}
	a.Text = cutEncoded(cutText(a.Text, maxText), max)
}

func (w *worker) fewWords(a *history.AssistantMessage) {
	if encodedSize(a.Text) > maxInline {
		w.cutWords(a, maxInline)
	}
}

func dropReasoning(a *history.AssistantMessage) { a.Reasoning = cutEncoded(a.Reasoning, 4<<10) }

// dropExtras is the last resort against a provider that floods.
func dropExtras(a *history.AssistantMessage) {
	a.Opaque = nil
	for i := range a.Calls {
		a.Calls[i].Extra, a.Calls[i].ProviderID = nil, ""
	}
}
