package session

import (
	"encoding/json"
	"maps"

	"github.com/agent-sidecar/agent-sidecar/model"
)

// What an answer of the model may cost its line of the log, in bytes (session
// §1, ruling 117).
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
func (s *Session) bound(a *AssistantMessage) {
	if len(a.Text) > maxText || encodedSize(a.Text) > maxTextInLine {
		s.cutWords(a, maxTextInLine)
	}
	a.Reasoning = cutText(a.Reasoning, maxText/4)
	if len(a.Calls) > mostCalls {
		a.Calls = a.Calls[:mostCalls]
	}
	room := maxInline // of all calls together
	for i := range a.Calls {
		c := &a.Calls[i]
		if len(c.Input) > min(room, maxInline/4) {
			c.Input = s.stashInput(c.Input, 0)
		}
		c.Raw = cutText(c.Raw, maxText/8)
		room -= len(c.Input) + len(c.Raw)
	}
	for _, shrink := range []func(*AssistantMessage){s.stashOpaque, s.stashCalls, dropReasoning, s.fewWords, dropExtras} {
		if line, err := marshal(a); err == nil && len(line) <= maxAnswer {
			return
		}
		shrink(a)
	}
}

// cutWords leaves at most max bytes of the model's words in the line; all of them
// are in an artifact.
func (s *Session) cutWords(a *AssistantMessage, max int) {
	if a.Artifact == nil {
		if ref, _, err := s.keep("message", a.MessageID, a.Text); err == nil {
			a.Artifact = ref
		}
	}
	a.Text = cutEncoded(cutText(a.Text, maxText), max)
}

func (s *Session) fewWords(a *AssistantMessage) {
	if encodedSize(a.Text) > maxInline {
		s.cutWords(a, maxInline)
	}
}

// opaqueBlob is the field that stands for a provider's state that lies beside
// the log.
const opaqueBlob = "_blob"

func (s *Session) stashOpaque(a *AssistantMessage) {
	if a.Opaque == nil {
		return
	}
	raw, err := marshal(a.Opaque.Fields)
	if err != nil || len(raw) < 200 {
		return
	}
	if name, err := s.storeBlob(raw); err == nil {
		a.Opaque = &model.Opaque{Provider: a.Opaque.Provider, Fields: map[string]json.RawMessage{opaqueBlob: json.RawMessage(`"` + name + `"`)}}
	}
}

// wholeOpaque gives a provider back what it wants back.
func wholeOpaque(o *model.Opaque, load func(string) ([]byte, error)) *model.Opaque {
	if o == nil || o.Fields[opaqueBlob] == nil {
		return o
	}
	whole := &model.Opaque{Provider: o.Provider, Fields: maps.Clone(o.Fields)}
	delete(whole.Fields, opaqueBlob)
	var name string
	if json.Unmarshal(o.Fields[opaqueBlob], &name) != nil {
		return whole
	}
	raw, err := load(name)
	if err != nil || json.Unmarshal(raw, &whole.Fields) != nil {
		return &model.Opaque{Provider: o.Provider} // it is lost; the text is not
	}
	return whole
}

func (s *Session) stashCalls(a *AssistantMessage) {
	for i := range a.Calls {
		c := &a.Calls[i]
		c.Input, c.Raw = s.stashInput(c.Input, 0), cutText(c.Raw, 256)
	}
}

func dropReasoning(a *AssistantMessage) { a.Reasoning = cutEncoded(a.Reasoning, 4<<10) }

// dropExtras is the last resort against a provider that floods.
func dropExtras(a *AssistantMessage) {
	a.Opaque = nil
	for i := range a.Calls {
		a.Calls[i].Extra, a.Calls[i].ProviderID = nil, ""
	}
}
