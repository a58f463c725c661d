package model

import (
	"encoding/json"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// What a model thought is of two kinds. Sealed state (signatures, encrypted
// items, details) goes back to its provider as it came, always. Its text goes
// back only to models that ask for it: those that refuse a call whose reasoning
// is missing, or whose template puts it in front of the call again. Everybody
// else would pay for words that are thrown away, or refuse them.

// reasoningTexts are the members of an assistant message that hold such text.
var reasoningTexts = []string{"reasoning_content", "reasoning", "reasoning_text"}

// asksForReasoning are the families that ask, by the model's own name.
var asksForReasoning = lazy.Regexp(`(?i)^(deepseek|kimi|moonshot|glm|minimax|gpt-oss|qwen3?[a-z0-9.:-]*thinking|qwq|mimo)`)

// asks says whether the model wants the text of its reasoning back.
func (w *writer) asks() bool {
	return w.quirks[quirkReasoningBack] || asksForReasoning().MatchString(w.model[strings.LastIndexByte(w.model, '/')+1:])
}

// noSignature says to such a provider that the call was not its own.
var noSignature = json.RawMessage(`{"google":{"thought_signature":"skip_thought_signature_validator"}}`)

// extra is what belongs to a call: what its provider gave with it, or, for the
// first of an answer, the words that a provider wants of another's.
func (w *writer) extra(c Call, same, first bool) json.RawMessage {
	switch {
	case same && json.Valid(c.Extra) && w.may("extra_content"):
		return c.Extra
	case first && w.quirks[quirkSignature]:
		return noSignature
	case first:
		w.note(quirkSignature) // its absence may be refused
	}
	return nil
}
