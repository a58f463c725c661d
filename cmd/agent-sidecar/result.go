package main

import (
	"encoding/json"
	"errors"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// runResult is the last line of run --json: how the run ended, and why it did not begin.
type runResult struct {
	Type       string               `json:"type"`
	SessionID  string               `json:"sessionId,omitempty"`
	RunID      string               `json:"runId,omitempty"`
	StopReason history.StopReason   `json:"stopReason,omitempty"`
	Text       string               `json:"text"`             // the last answer
	Output     json.RawMessage      `json:"output,omitempty"` // the same, where it fits --output-schema
	Usage      *history.Usage       `json:"usage,omitempty"`
	Changes    []history.FileChange `json:"changes"`
	Refused    int                  `json:"refused"` // because nobody could be asked
	Error      *history.RunError    `json:"error,omitempty"`
	Message    said.Text            `json:"message,omitzero"` // why a limit ended it
	ExitCode   int                  `json:"exitCode"`
}

// take is the end of a run.
func (r *runResult) take(e session.Ended) {
	r.RunID, r.StopReason, r.Text, r.Error, r.Message = e.RunID, e.StopReason, e.Text, e.Error, e.Message
	if before := r.Usage; before != nil { // it was asked again
		e.Usage.Plus(*before)
	}
	r.Usage = &e.Usage
	r.Changes = append(r.Changes, e.Changes...)
}

// Kinds of errors before a run, beside those of a run.
const (
	kindUsage      = "invalid_usage"
	kindNotStarted = "not_started"
)

// notBegun is why no run began, as its result says it.
func notBegun(err error) *history.RunError {
	if missing, is := errors.AsType[*model.NotSetError](err); is {
		return &history.RunError{Kind: string(model.KindNotSet), Message: missing.Message, Detail: missing.Detail}
	}
	kind := kindNotStarted
	if isMisuse(err) {
		kind = kindUsage
	}
	return &history.RunError{Kind: kind, Message: said.Plain(because(err).String())}
}

// exits are the codes of the ends of a run; any other is exitFailed.
var exits = map[history.StopReason]int{
	history.StopEndTurn: 0, history.StopCancelled: exitCancelled,
	history.StopLimit: exitLimit, history.StopMaxTurns: exitLimit, history.StopMaxTokens: exitLimit, history.StopDoomLoop: exitLimit,
}

// conclude turns the end of a run into an exit code and, where it went wrong, into words.
func (p *program) conclude(e session.Ended) int {
	if e.Error != nil {
		return p.failedWith(e.Error.Message, e.Error.Detail)
	}
	code, known := exits[e.StopReason]
	if !known {
		return exitFailed
	}
	if code == exitCancelled {
		p.err.say("%s\n", p.words("cancelled"))
	}
	return code
}

// exitCode is that of the whole run, after a person was told what is not in the output. err
// is why none began.
func (r *promptRun) exitCode(err error) int {
	if isMisuse(err) {
		r.result.Error = notBegun(err)
		return r.misused("run: %v", err)
	}
	if missing, is := errors.AsType[*model.NotSetError](err); is {
		r.result.Error = notBegun(err)
		return r.unset(missing)
	}
	if err != nil {
		r.result.Error = notBegun(err)
		return r.fail("%v", err)
	}
	r.result.Refused = r.t.tellUnanswered()
	code := r.conclude(r.ended)
	unfit := code == 0 && r.unfit != nil
	if unfit {
		r.note("the answer does not fit the schema: %s", title(r.unfit.Error(), 400))
	}
	switch {
	case code != 0 && code != exitFailed:
		return code
	case r.result.Refused > 0:
		return exitRefused
	case unfit:
		return exitUnfit
	}
	return code
}

// eventLines is a terminal that writes events as well, as a client is sent them, one a line.
type eventLines struct {
	*terminal
	write func(any)
}

// Event implements session.Notifier.
func (l *eventLines) Event(o history.Origin, e history.Event) {
	l.terminal.Event(o, e)
	if params, err := e.Wire(o); err == nil {
		l.write(params)
	}
}

// Ephemeral implements session.Notifier. Pieces of a text are left out: the events that
// follow have the whole of it.
func (l *eventLines) Ephemeral(o history.Origin, e history.Ephemeral) {
	l.terminal.Ephemeral(o, e)
	switch e.Data.(type) {
	case session.Delta, session.InputDelta, session.ToolOutput:
		return
	}
	l.write(rpc.EphemeralParams(o, e))
}

// line writes a value as one line of JSON for programs. The encoder leaves nothing invisible
// to a person who looks at it.
func (r *promptRun) line(v any) {
	raw, err := wire.EncodeJSON(v)
	if err != nil {
		r.log.Error().Err(err).Msg("encode an event")
		return
	}
	r.lines.Lock()
	defer r.lines.Unlock()
	_ = r.out.write(escaped(string(raw)) + "\n") // nobody reads it any more
}
