package surface

import (
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
)

// Shown is text that is fit for the surfaces of an editor, which may be a terminal:
// no escape sequence, control character, change of direction or invisible letter is in
// it. Files, branches, tools, models, sessions, agents and servers name themselves, so a
// plain string does not go out as a message, a title, a progress line, a lens or a mark:
// line, message and messages make it visible first.
type Shown string

// line is text on one line, cut at max characters; max < 1 means no limit.
func Line(text string, max int) Shown { return Shown(control.Title(text, max)) }

// message is a line that no client turns into a link or an icon either.
func Message(text string) Shown { return Shown(control.Title(inert(text), 0)) }

// messages is message for several lines.
func Messages(text string) Shown { return Shown(control.Lines(inert(text))) }

// messageSaid is a window/showMessage.
type messageSaid struct {
	Message Shown       `json:"message"`
	Type    MessageKind `json:"type"`
}

// messageRequest is a window/showMessageRequest.
type messageRequest struct {
	Actions []messageAction `json:"actions"`
	Message Shown           `json:"message"`
	Type    MessageKind     `json:"type"`
}

type messageAction struct {
	Title Shown `json:"title"`
}

// Mark is a diagnostic, as the client is sent it.
type Mark struct {
	Code     string `json:"code,omitempty"`
	Message  Shown  `json:"message"`
	Range    any    `json:"range"`
	Severity any    `json:"severity"`
	Source   string `json:"source"`
}

// inert is text of a model that no client turns into anything else. Editors make
// links of `[label](command:…)` in messages, which would let a model write a button
// of its own under any label, and icons of `$(name)` in lenses, which hides what
// is there.
func inert(s string) string {
	return strings.NewReplacer("](", "] (", "$(", "$ (").Replace(s)
}

// maxReport is how much of a progress line is shown, in characters.
const maxReport = 120

// MaxWords is how much of an answer a message shows, in characters; the whole
// is in the transcript.
const MaxWords = 400

// choice is one code action before it has the form that the client understands.
type choice struct {
	title   Shown
	kind    string
	command CommandName
	args    map[string]any
}
