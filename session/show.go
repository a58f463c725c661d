package session

import (
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// watchers are those who are shown what a session does.
type watchers struct {
	to      Notifier
	origin  history.Origin
	root    *root
	session *activity
}

// show tells them something that is not kept.
func (w *watchers) show(run, kind string, data any) {
	after := w.root.journal.Seq()
	switch data.(type) {
	case Delta, InputDelta: // pieces of the model's own words
	default:
		data = placeholder.Redacted(w.root.redactor, data)
	}
	w.to.Ephemeral(w.origin, history.Ephemeral{Type: kind, Run: run, After: after, Data: data})
}

// showOf is show for what may come after its run has ended, as that of a command in
// the background does: it belongs to the session then, because nothing of a run
// follows its run.ended (protocol O3).
func (w *watchers) showOf(r *run, kind string, data any) {
	x := w.session.journal.Begin()
	defer x.End()
	run, after := "", x.Published()
	if w.session.live == r {
		run = r.id
	}
	if w.session.above != nil {
		after = w.root.journal.Seq()
	}
	w.to.Ephemeral(w.origin, history.Ephemeral{Type: kind, Run: run, After: after, Data: data})
}

// unheard does something of which nobody is told.
func (w *watchers) unheard(do func() error) error {
	to := w.to
	defer func() { w.to = to }()
	w.to = nobodyListens{}
	return do()
}

type nobodyListens struct{}

func (nobodyListens) Event(history.Origin, history.Event)         {}
func (nobodyListens) Ephemeral(history.Origin, history.Ephemeral) {}

// Notice is a word to a person that changes nothing.
type Notice struct {
	Severity  string    `json:"severity"` // info, warning, error
	Title     said.Text `json:"title"`
	Kind      string    `json:"kind,omitempty"` // message_reset …
	MessageID string    `json:"messageId,omitempty"`
	// Paths are the files of memory: with the run they are what an undo takes.
	Paths []string `json:"paths,omitempty"`
	// Conflicts are files that were not brought here from a runner.
	Conflicts []tool.Conflict `json:"conflicts,omitempty"`
}

// RunState is what the run does now.
type RunState struct {
	State     string `json:"state"` // thinking, tool_calling, waiting_approval, retrying, compacting, finished, error
	Detail    string `json:"detail,omitempty"`
	Iteration int    `json:"iteration"`
	Attempt   int    `json:"attempt,omitempty"`
	InMs      int64  `json:"inMs,omitempty"`
}

// Delta is a piece of an answer that is being written.
type Delta struct {
	MessageID string `json:"messageId"`
	Text      string `json:"text"`
}

// InputDelta is a piece of a call's arguments that are being written.
type InputDelta struct {
	CallID string `json:"callId"`
	Tool   string `json:"tool"`
	Text   string `json:"text"`
}
