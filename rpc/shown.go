package rpc

import (
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
)

// shown is text that is fit for the surfaces of an editor, which may be a terminal:
// no escape sequence, control character, change of direction or invisible letter is in
// it. Files, branches, tools, models, sessions, agents and servers name themselves, so a
// plain string does not go out as a message, a title, a progress line, a lens or a mark:
// line, message and messages make it visible first.
type shown string

// line is text on one line, cut at max characters; max < 1 means no limit.
func line(text string, max int) shown { return shown(control.Title(text, max)) }

// message is a line that no client turns into a link or an icon either.
func message(text string) shown { return shown(control.Title(inert(text), 0)) }

// messages is message for several lines.
func messages(text string) shown { return shown(control.Lines(inert(text))) }

// messageSaid is a window/showMessage.
type messageSaid struct {
	Message shown `json:"message"`
	Type    int   `json:"type"`
}

// messageRequest is a window/showMessageRequest.
type messageRequest struct {
	Actions []messageAction `json:"actions"`
	Message shown           `json:"message"`
	Type    int             `json:"type"`
}

type messageAction struct {
	Title shown `json:"title"`
}

// actionsOf are the buttons of a message.
func actionsOf(titles []shown) []messageAction {
	actions := make([]messageAction, len(titles))
	for i, title := range titles {
		actions[i].Title = title
	}
	return actions
}

// progressValue is what $/progress says of a run.
type progressValue struct {
	Agent       *progressInfo `json:"agent,omitempty"`
	Cancellable bool          `json:"cancellable,omitempty"`
	Kind        string        `json:"kind"`
	Message     shown         `json:"message,omitempty"`
	Title       shown         `json:"title,omitempty"`
}

// mark is a diagnostic, as the client is sent it.
type mark struct {
	Code     string `json:"code,omitempty"`
	Message  shown  `json:"message"`
	Range    any    `json:"range"`
	Severity any    `json:"severity"`
	Source   string `json:"source"`
}

// inert is text of a model that no client turns into anything else. Editors make
// links of `[label](command:…)` in messages, which would let a model write a button
// of its own under any label, and icons of `$(name)` in lenses, which hides what
// stands there.
func inert(s string) string {
	return strings.NewReplacer("](", "] (", "$(", "$ (").Replace(s)
}
