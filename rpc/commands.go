package rpc

import (
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

// command is what a client without a plugin can ask for by name. Positional
// strings are given to the members in the order of args.
type clientCommand struct {
	name string
	args []string
	do   func(*commands, context.Context, *wire.Call, json.RawMessage) (any, error)
}

// commandTable is all of them; their names carry the client's suffix.
var commandTable = []clientCommand{
	{"run", []string{"prompt", "sessionId"}, (*commands).commandRun},
	{"steer", []string{"prompt", "sessionId"}, (*commands).commandSteer},
	{"cancel", []string{"sessionId"}, withParams((*commands).cancel)},
	{"approve", []string{"approvalId", "decision"}, (*commands).commandApprove},
	{"reject", []string{"approvalId", "feedback"}, (*commands).commandReject},
	{"approvals", []string{"sessionId"}, withParams((*commands).approvals)},
	{"reviewDiff", []string{"approvalId"}, (*commands).commandReview},
	{"openTranscript", []string{"sessionId"}, (*commands).commandTranscript},
	{"openArtifact", []string{"artifactId"}, (*commands).commandArtifact},
	{"sessions", []string{"query"}, withParams((*commands).sessionList)},
	{"resume", []string{"sessionId"}, withParams((*commands).sessionResume)},
	{"compact", []string{"focus", "sessionId"}, (*commands).commandCompact},
	{"explain", []string{"tool", "input", "sessionId"}, (*commands).commandExplain},
	{"setMode", []string{"mode", "sessionId"}, (*commands).commandMode},
	{"undo", []string{"callId", "sessionId"}, (*commands).commandUndo},
	{"useModel", []string{"model", "sessionId"}, (*commands).commandUseModel},
}

// commands runs the commands, each by what answers the request that it stands for.
type commands struct {
	*link
	store    *store.Store
	surfaces *surface.Surfaces

	*approver
	*artifacts
	*chooser
	*runs
	*sessions
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
	switch {
	case strings.HasPrefix(name, "approve"), strings.HasPrefix(name, "reject"):
		raw, err := namedArguments(clientCommand{args: []string{"approvalId", "", "", ""}}, p.Arguments)
		if err != nil {
			return ""
		}
		return approvalKey(raw)
	case strings.HasPrefix(name, "cancel"):
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
func withParams[P, R any](f func(*commands, context.Context, *wire.Call, P) (R, error)) func(*commands, context.Context, *wire.Call, json.RawMessage) (any, error) {
	return func(s *commands, ctx context.Context, c *wire.Call, raw json.RawMessage) (any, error) {
		var p P
		if err := wire.Decode(raw, &p); err != nil {
			return nil, err
		}
		return f(s, ctx, c, p)
	}
}

// commandRun prompts the current session, or a new one with {new: true}.
func (s *commands) commandRun(ctx context.Context, c *wire.Call, raw json.RawMessage) (any, error) {
	return s.prompt(ctx, c, raw, "")
}

func (s *commands) commandSteer(ctx context.Context, c *wire.Call, raw json.RawMessage) (any, error) {
	return s.prompt(ctx, c, raw, "steer")
}

func (s *commands) prompt(ctx context.Context, c *wire.Call, raw json.RawMessage, delivery string) (any, error) {
	var p struct {
		runParams
		New bool `json:"new"`
	}
	if err := wire.Decode(raw, &p); err != nil {
		return nil, err
	}
	if delivery != "" {
		p.Delivery = delivery
	}
	if p.SessionID == "" && p.SessionKey == "" && !p.New {
		p.SessionID = s.currentID()
	}
	p.Await = false
	return s.run(ctx, c, p.runParams)
}

// pick is the approval that a command means: the named one, else the only one.
func (s *commands) pick(id string) (*surface.Question, error) {
	if id != "" {
		if q := s.surfaces.Board.Get(id); q != nil {
			return q, nil
		}
		return nil, approvalNotFound(id).With("status", s.surfaces.Board.Absent(id))
	}
	open := s.surfaces.Board.Pending("")
	if len(open) == 1 {
		return open[0], nil
	}
	if len(open) == 0 {
		return nil, wire.InvalidParams("approvalId", "no approval is open")
	}
	var lines []string
	for _, q := range open {
		lines = append(lines, q.ApprovalID+" "+q.Title)
	}
	return nil, wire.InvalidParams("approvalId", fmt.Sprintf("say which of the %d that are open: %s", len(open), strings.Join(lines, "; ")))
}

func (s *commands) commandApprove(ctx context.Context, c *wire.Call, raw json.RawMessage) (any, error) {
	return s.answerBy(ctx, c, raw, "")
}

func (s *commands) commandReject(ctx context.Context, c *wire.Call, raw json.RawMessage) (any, error) {
	return s.answerBy(ctx, c, raw, "reject")
}

func (s *commands) answerBy(ctx context.Context, c *wire.Call, raw json.RawMessage, decision string) (any, error) {
	var p struct {
		approveParams
		Surface string `json:"surface"`
	}
	if err := json.Unmarshal(raw, &p); err != nil { // check asks for an id, which a command need not have
		return nil, wire.ParamsError(err)
	}
	if decision != "" {
		p.Decision = decision
	}
	if p.ApprovalID != "" && s.surfaces.Board.Get(p.ApprovalID) == nil {
		return session.Outcome{Status: s.surfaces.Board.Absent(p.ApprovalID)}, nil
	}
	q, err := s.pick(p.ApprovalID)
	if err != nil {
		return nil, err
	}
	if p.Decision == "" {
		return nil, wire.Missing("decision")
	}
	by := "code_action"
	if p.Surface == surface.ByLens {
		by = surface.ByLens
	}
	answer, err := p.answerTo(q.Approval, by)
	if err != nil {
		return nil, err
	}
	return s.surfaces.Board.Answer(ctx, c, q.ApprovalID, answer)
}

func (s *commands) commandCompact(ctx context.Context, c *wire.Call, raw json.RawMessage) (any, error) {
	raw, err := s.onCurrent(raw)
	if err != nil {
		return nil, err
	}
	return withParams((*commands).sessionCompact)(s, ctx, c, raw)
}

func (s *commands) commandMode(ctx context.Context, c *wire.Call, raw json.RawMessage) (any, error) {
	raw, err := s.onCurrent(raw)
	if err != nil {
		return nil, err
	}
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

// commandExplain takes the input as an object, or as JSON in a string.
func (s *commands) commandExplain(ctx context.Context, c *wire.Call, raw json.RawMessage) (any, error) {
	var p explainParams
	if err := wire.Decode(raw, &p); err != nil {
		return nil, err
	}
	var text string
	if json.Unmarshal(p.Input, &text) == nil && json.Valid([]byte(text)) {
		p.Input = json.RawMessage(text)
	}
	if p.SessionID == "" {
		p.SessionID = s.currentID()
	}
	return s.explain(ctx, c, p)
}
