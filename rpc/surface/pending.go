package surface

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// PendingApproval is an approval that somebody may answer.
type PendingApproval struct {
	history.Approval
	answers chan session.Answer // unbuffered: taken means taken by the session
	ready   chan struct{}       // closed when the session listens: from then on ctx, full and documents are there
	ctx     context.Context     // ends when the question is withdrawn; nil before ready

	asking *wire.Asking // our request about it, or nil
	file   string       // where its review is, "" before it was written
	full   string       // the preview where its event does not hold all of it

	documents []history.DiffDocuments // of its diff, with their texts
	unopened  map[string]bool         // of these the URIs of what would be there, that were not asked for

	// guarded by the Approvals
	reviewed   bool // its review was opened on this connection
	rulesShown bool // and with its rules
	offered    bool // as a message request already
}

// over says that a question was withdrawn. The Approvals are locked.
func (q *PendingApproval) over() bool { return q.ctx != nil && q.ctx.Err() != nil }

// Answers gives each answer of a person once somebody takes it: taken means taken by the
// session.
func (q *PendingApproval) Answers() <-chan session.Answer { return q.answers }

// Context ends when the question is withdrawn. There is one from when the session
// listens.
func (q *PendingApproval) Context() context.Context { return q.ctx }

// How much of a question a surface of one line shows, in characters. A code
// action's title is long enough for nearly every command to be in it whole; a
// session cuts titles that are no command at 200.
const (
	shortTitle = 120
	longTitle  = 400
	cutTitle   = 199
)

// what is the line that says what the question is about, and which sub-agent wants
// it.
func (q *PendingApproval) what(limit int) string {
	if c := commandOf(q.Approval); c != "" {
		return control.Title(c, limit) + q.whose()
	}
	return control.Title(q.Title.String(), limit) + q.whose()
}

// label is the question's own word for a decision, else the usual one.
func (q *PendingApproval) label(decision, usual string) string {
	if own := q.Labels[decision]; own != "" {
		return own
	}
	return usual
}

// labelled is the question's own word for a decision with what it is about, for a
// menu that shows no question beside it; else the usual title.
func (q *PendingApproval) labelled(decision, usual string) string {
	if own := q.Labels[decision]; own != "" {
		return own + ": " + control.Title(q.Subject, longTitle)
	}
	return usual
}

// whose names the sub-agent that asks.
func (q *PendingApproval) whose() string { return whose(q.Approval) }

// whose names the sub-agent that asks, "" for the session itself.
func whose(a history.Approval) string {
	if len(a.AgentPath) == 0 {
		return ""
	}
	return control.Title(" ("+strings.Join(a.AgentPath, "/")+")", 80)
}

// whole says whether a line of limit characters shows all that a yes allows: not
// an edit, not a text that is only in the preview, and on a short line not a
// script of several lines either.
func (q *PendingApproval) whole(limit int) bool {
	if p := q.Preview; p != nil && p.Kind == "diff" {
		return false
	} else if p != nil && p.Kind != "command" && !strings.Contains(q.Title.String(), strings.TrimSpace(p.Text)) {
		return false
	}
	if q.hasHidden() {
		return false
	}
	what := commandOf(q.Approval)
	if what == "" {
		what, limit = q.Title.String(), min(limit, cutTitle)
	}
	if limit <= shortTitle && (strings.Contains(strings.TrimRight(what, "\n"), "\n") || inert(what) != what) {
		return false
	}
	return len([]rune(control.Title(what, 0))) <= limit
}

// hasHidden says that the call has a part that no title shows: a command that
// runs elsewhere, outside its limits or without an end, and whatever another program's tool is
// given. So is what has changed in a file that a command starts since somebody said yes.
func (q *PendingApproval) hasHidden() bool {
	if q.Preview != nil && slices.ContainsFunc(q.Preview.Starts, func(f history.StartedFile) bool { return f.Changed }) {
		return true
	}
	if slices.ContainsFunc(q.Targets, func(t string) bool { return strings.HasPrefix(t, "mcp:") || strings.HasPrefix(t, "tool:") }) {
		return len(q.Input) > 0 && string(q.Input) != "{}"
	}
	var in struct {
		Workdir    string     `json:"workdir"`
		Needs      tool.Needs `json:"needs"`
		Reads      []string   `json:"reads"`
		Background bool       `json:"background"`
	}
	return q.Tool == "bash" && q.Risk != "loop" && (json.Unmarshal(q.Input, &in) != nil || in.Workdir != "" || len(in.Needs) > 0 || len(in.Reads) > 0 || in.Background)
}

// commandOf is the shell text that an approval is about, "" for others: a question
// about a loop is about going on, not about the command.
func commandOf(a history.Approval) string {
	var in struct {
		Command string `json:"command"`
	}
	if a.Tool != "bash" || a.Risk == "loop" || json.Unmarshal(a.Input, &in) != nil {
		return ""
	}
	return in.Command
}

// asks is the question as one message. One of domain config is the sidecar's own, not
// the agent's.
func (q *PendingApproval) asks(lang, what, reason string) string {
	if q.Labels != nil {
		return what + " " + reason
	}
	return locale.AgentAsks.In(lang, what, reason)
}

// reviewTitle names what opens the review of the question.
func (q *PendingApproval) reviewTitle(lang, what string) string {
	if q.Labels != nil { // a question of domain config has no diff
		return locale.ReviewOfText.In(lang, what)
	}
	return locale.ReviewOf.In(lang, what)
}
