package rpc

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/store"
)

// clientCommand is what a client without a plugin can ask for by name. Positional
// strings are given to the members in the order of args.
type clientCommand struct {
	name      surface.CommandName
	args      []string
	do        command
	onCurrent bool // it is about the current session where it names none
}

// command takes its arguments as one object.
type command func(*commands, context.Context, *wire.Call, json.RawMessage) (any, error)

// commandTable is all of them; their names carry the client's suffix.
var commandTable = []clientCommand{
	{surface.CommandRun, []string{"prompt", "sessionId"}, prompted(""), false},
	{"steer", []string{"prompt", "sessionId"}, prompted(session.DeliverSteer), false},
	{surface.CommandCancel, []string{"sessionId"}, withParams((*commands).cancel), false},
	{surface.CommandApprove, []string{"approvalId", "decision"}, answered(""), false},
	{surface.CommandAnswer, []string{"questionId"}, withParams((*commands).askAgain), false},
	{surface.CommandReject, []string{"approvalId", "feedback"}, answered("reject"), false},
	{"approvals", []string{"sessionId"}, withParams((*commands).approvals), false},
	{surface.CommandReview, []string{"approvalId"}, (*commands).review, false},
	{"openTranscript", []string{"sessionId"}, withParams((*commands).openTranscript), true},
	{"openArtifact", []string{"artifactId"}, (*commands).openArtifact, false},
	{"sessions", []string{"query"}, withParams((*commands).sessionList), false},
	{"resume", []string{"sessionId"}, withParams((*commands).sessionResume), false},
	{"compact", []string{"focus", "sessionId"}, withParams((*commands).sessionCompact), true},
	{"explain", []string{"tool", "input", "sessionId"}, withParams((*commands).explainHere), false},
	{"setMode", []string{"mode", "sessionId"}, (*commands).setMode, true},
	{surface.CommandSetRunner, []string{"runner", "sessionId"}, withParams((*commands).setRunner), false},
	{"undo", []string{"callId", "sessionId"}, (*commands).undo, true},
	{"restore", []string{"seq", "sessionId"}, (*commands).restoreHere, true},
	{"usage", []string{"by", "since", "until"}, withParams((*commands).showUsage), false},
	{surface.CommandUseModel, []string{"model", "sessionId"}, withParams((*commands).takeModel), false},
}

// commands runs the commands, each by what answers the request that it stands for.
type commands struct {
	*link
	store    *store.Store
	surfaces *surface.Surfaces

	*approver
	*artifacts
	*chooser
	*placer
	*runs
	*sessions
	*spendings
	*undos
}

func commandNames(c *client) []string {
	names := make([]string, len(commandTable))
	for i, k := range commandTable {
		names[i] = c.Command(k.name)
	}
	return names
}

type executeParams struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

// commandSession chains commands behind one another, but lets answers and the
// Stop through at once (O9).
func commandSession(params json.RawMessage) string {
	var p executeParams
	if json.Unmarshal(params, &p) != nil {
		return ""
	}
	name := strings.TrimPrefix(p.Command, surface.CommandPrefix)
	is := func(c surface.CommandName) bool { return strings.HasPrefix(name, string(c)) } // with a suffix behind it
	switch {
	case is(surface.CommandApprove), is(surface.CommandReject):
		raw, err := namedArguments(clientCommand{args: []string{"approvalId", "", "", ""}}, p.Arguments)
		if err != nil {
			return ""
		}
		return approvalKey(raw)
	case is(surface.CommandCancel):
		return "cancel"
	}
	return "commands"
}

// approvalKey chains the answers to one question, so that the first one that was
// sent is the first one that counts.
func approvalKey(params json.RawMessage) string {
	return surface.AnswersTo(wire.MemberString(params, "approvalId"))
}

// executeCommand runs a command of ours. It answers in well under 100 ms: a run
// goes on behind its answer.
func (s *commands) executeCommand(ctx context.Context, c *wire.Call, p executeParams) (any, error) {
	for _, k := range commandTable {
		if p.Command != s.client.Command(k.name) {
			continue
		}
		raw, err := namedArguments(k, p.Arguments)
		if err == nil && k.onCurrent {
			raw, err = s.onCurrent(raw)
		}
		if err != nil {
			return nil, err
		}
		return k.do(s, ctx, c, raw)
	}
	return nil, wire.InvalidParams("command", fmt.Sprintf("there is no command %q", p.Command))
}

// namedArguments makes one object of what a client sent: an object, an object
// as a JSON string, or positional strings.
func namedArguments(k clientCommand, given []json.RawMessage) (json.RawMessage, error) {
	if len(given) == 0 {
		return json.RawMessage("{}"), nil
	}
	first := given[0]
	var line string
	if json.Unmarshal(first, &line) == nil && len(given) == 1 && strings.HasPrefix(strings.TrimSpace(line), "{") && json.Valid([]byte(line)) {
		first = json.RawMessage(line)
	}
	if first[0] == '{' {
		return first, nil
	}
	if string(first) == "[]" && len(given) == 1 { // Lua's empty table
		return json.RawMessage("{}"), nil
	}
	if len(given) > len(k.args) {
		return nil, wire.InvalidParams("arguments", fmt.Sprintf("%s takes at most %d", k.name, len(k.args)))
	}
	named := map[string]json.RawMessage{}
	for i, a := range given {
		if string(a) != "null" {
			named[k.args[i]] = a
		}
	}
	return json.Marshal(named)
}

// withParams makes a command of a request's handler.
func withParams[P, R any](f func(*commands, context.Context, *wire.Call, P) (R, error)) command {
	return func(s *commands, ctx context.Context, c *wire.Call, raw json.RawMessage) (any, error) {
		var p P
		if err := wire.Decode(raw, &p); err != nil {
			return nil, err
		}
		return f(s, ctx, c, p)
	}
}

// prompted prompts the current session, or a new one with {new: true}.
func prompted(delivery session.Delivery) command {
	return func(s *commands, ctx context.Context, c *wire.Call, raw json.RawMessage) (any, error) {
		var p struct {
			runParams
			New bool `json:"new"`
		}
		if err := wire.Decode(raw, &p); err != nil {
			return nil, err
		}
		p.Delivery = cmp.Or(delivery, p.Delivery)
		if p.SessionID == "" && p.SessionKey == "" && !p.New {
			p.SessionID = s.currentID()
		}
		p.Await = false
		return s.run(ctx, c, p.runParams)
	}
}

// pick is the approval that a command means: the named one, else the only one.
func (s *commands) pick(id string) (*surface.PendingApproval, error) {
	if id != "" {
		if q := s.surfaces.Pending.Get(id); q != nil {
			return q, nil
		}
		return nil, approvalNotFound(id).With("status", s.surfaces.Pending.Absent(id))
	}
	open := s.surfaces.Pending.Pending("")
	if len(open) == 1 {
		return open[0], nil
	}
	if len(open) == 0 {
		return nil, wire.InvalidParams("approvalId", "no approval is open")
	}
	var lines []string
	for _, q := range open {
		lines = append(lines, q.ApprovalID+" "+q.Title.String())
	}
	return nil, wire.InvalidParams("approvalId", fmt.Sprintf("say which of the %d that are open: %s", len(open), strings.Join(lines, "; ")))
}

// answered answers the question that is named, or the only one.
func answered(decision string) command {
	return func(s *commands, ctx context.Context, c *wire.Call, raw json.RawMessage) (any, error) {
		var p struct {
			approveParams
			Surface string `json:"surface"`
		}
		if err := json.Unmarshal(raw, &p); err != nil { // Check asks for an id, which a command need not have
			return nil, wire.ParamsError(err)
		}
		p.Decision = cmp.Or(decision, p.Decision)
		if p.ApprovalID != "" && s.surfaces.Pending.Get(p.ApprovalID) == nil {
			return session.Outcome{Status: s.surfaces.Pending.Absent(p.ApprovalID)}, nil
		}
		q, err := s.pick(p.ApprovalID)
		if err == nil {
			err = needs("decision", p.Decision)
		}
		if err != nil {
			return nil, err
		}
		by := "code_action"
		if p.Surface == surface.ByLens {
			by = surface.ByLens
		}
		answer, err := p.answerTo(q.Approval, by)
		if err != nil {
			return nil, err
		}
		return s.surfaces.Pending.Answer(ctx, c, q.ApprovalID, answer)
	}
}

func (s *commands) setMode(ctx context.Context, c *wire.Call, raw json.RawMessage) (any, error) {
	if wire.MemberString(raw, "mode") == "" {
		return nil, wire.Missing("mode")
	}
	return withParams((*commands).sessionUpdate)(s, ctx, c, raw)
}

// onCurrent adds the current session to arguments that name none.
func (s *commands) onCurrent(raw json.RawMessage) (json.RawMessage, error) {
	var named map[string]json.RawMessage
	if err := json.Unmarshal(raw, &named); err != nil {
		return nil, wire.ParamsError(err)
	}
	if id := named["sessionId"]; len(id) > 0 && string(id) != "null" {
		return raw, nil
	}
	current := s.currentID()
	if current == "" {
		return nil, wire.InvalidParams("sessionId", "there is no current session yet")
	}
	named["sessionId"] = strconv.AppendQuote(nil, current)
	return json.Marshal(named)
}

type askAgainParams struct {
	QuestionID string `json:"questionId"`
}

func (p *askAgainParams) Check() error { return needs("questionId", p.QuestionID) }

// askAgain shows questions of the model again whose message was closed.
func (s *commands) askAgain(_ context.Context, _ *wire.Call, p askAgainParams) (struct{}, error) {
	s.surfaces.Questions.Ask(p.QuestionID)
	return struct{}{}, nil
}

// explainHere takes the input as an object, or as JSON in a string.
func (s *commands) explainHere(ctx context.Context, c *wire.Call, p explainParams) (explainResult, error) {
	var text string
	if json.Unmarshal(p.Input, &text) == nil && json.Valid([]byte(text)) {
		p.Input = json.RawMessage(text)
	}
	p.SessionID = cmp.Or(p.SessionID, s.currentID())
	return s.explain(ctx, c, p)
}
