package rpc

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// How much of a question a surface of one line shows, in characters. A code
// action's title is long enough for nearly every command to stand in it whole; a
// session cuts titles that are no command at 200.
const (
	shortTitle = 120
	longTitle  = 400
	cutTitle   = 199
)

// what is the line that says what the question is about, and which sub-agent wants
// it.
func (q *openQuestion) what(limit int) string {
	if c := commandOf(q.Approval); c != "" {
		return control.Title(c, limit) + q.whose()
	}
	return control.Title(q.Title, limit) + q.whose()
}

// label is the question's own word for a decision, else the usual one.
func (q *openQuestion) label(decision, usual string) string {
	if own := q.Labels[decision]; own != "" {
		return own
	}
	return usual
}

// labelled is the question's own word for a decision with what it is about, for a
// menu that shows no question beside it; else the usual title.
func (q *openQuestion) labelled(decision, usual string) string {
	if own := q.Labels[decision]; own != "" {
		return own + ": " + control.Title(q.Subject, longTitle)
	}
	return usual
}

// whose names the sub-agent that asks.
func (q *openQuestion) whose() string { return whose(q.Approval) }

// whose names the sub-agent that asks, "" for the session itself.
func whose(a history.Approval) string {
	if len(a.AgentPath) == 0 {
		return ""
	}
	return control.Title(" ("+strings.Join(a.AgentPath, "/")+")", 80)
}

// inert is text of a model that no client turns into anything else. Editors make
// links of `[label](command:…)` in messages, which would let a model write a button
// of its own under any label, and icons of `$(name)` in lenses, which hides what
// stands there.
func inert(s string) string {
	return strings.NewReplacer("](", "] (", "$(", "$ (").Replace(s)
}

// whole says whether a line of limit characters shows all that a yes allows: not
// an edit, not a text that stands only in the preview, and on a short line not a
// script of several lines either.
func (q *openQuestion) whole(limit int) bool {
	if p := q.Preview; p != nil && p.Kind == "diff" {
		return false
	} else if p != nil && p.Kind != "command" && !strings.Contains(q.Title, strings.TrimSpace(p.Text)) {
		return false
	}
	if q.hasHidden() {
		return false
	}
	what := commandOf(q.Approval)
	if what == "" {
		what, limit = q.Title, min(limit, cutTitle)
	}
	if limit <= shortTitle && (strings.Contains(strings.TrimRight(what, "\n"), "\n") || inert(what) != what) {
		return false
	}
	return len([]rune(control.Title(what, 0))) <= limit
}

// hasHidden says that the call has a part that no title shows: a command that
// runs elsewhere, outside its limits or without an end, and whatever another program's tool is
// given. So is what has changed in a file that a command starts since somebody said yes.
func (q *openQuestion) hasHidden() bool {
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

// yes is one way to allow what is asked. offer is nil where no rule is stored by
// it: once, and always for loops, limits and the client's configuration.
type yes struct {
	decision string
	offer    *control.Offer
}

// yeses are what the question offers on surfaces with titles of limit characters:
// once and always; `session` is left to clients that know us. A rule that does
// not stand there whole is not offered before the review was opened, where it
// does.
func (s *Server) yeses(q *openQuestion, limit int) (out []yes) {
	if slices.Contains(q.Decisions, "once") {
		out = append(out, yes{"once", nil})
	}
	if !slices.Contains(q.Decisions, "always") {
		return out
	}
	for i := range q.Always {
		if len([]rune(control.Title(q.Always[i].PlainNames(), 0))) > limit && !s.board.rulesShown(q) {
			continue
		}
		out = append(out, yes{"always", &q.Always[i]})
	}
	if len(q.Always) == 0 {
		out = append(out, yes{"always", nil})
	}
	return out
}
