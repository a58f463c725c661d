package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/control/loop"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// run is one prompt until its end. Only the goroutine that works on it writes
// its fields; what others may touch has a lock of its own.
type run struct {
	id     string
	prompt history.RunStarted
	chosen chosen
	agent  config.Agent
	model  model.Model

	ctx    context.Context // ends with the cause of a cancel
	cancel context.CancelCauseFunc
	clock  *clock

	tools   tool.Set
	sent    bool // the files where it works are those of here
	fitted  fittedTo
	fixed   history.Size // system prompt and tool descriptions
	counted int64        // the same, counted exactly; 0: not yet
	limits  limits
	system  string       // the system prompt of this run
	params  model.Params // as they were when it began
	guard   *loop.Guard

	progress
	told
}

// fittedTo is what tools and results were last made to fit.
type fittedTo struct {
	model  string
	window int64 // 0: it was not known
}

// progress is how far a run has come.
type progress struct {
	iteration int    // model answers so far
	calls     int    // tool calls so far
	cuts      int    // answers in a row that hit the output limit
	text      string // of the last answer
	by        string // the model that gave it, "" before the first
	nudged    bool
	next      string // the run that goes on with what this one has planned, "" for none
	corrected bool   // the model was told to call a tool and not to write the call
	reporting bool   // a sub-agent's last turn, without tools
	lastOnly  bool   // only the last turn is sent: nothing else fits
	compacted []int  // the iterations before which the conversation was compacted
	usage     history.Usage
	changes   []history.FileChange
	noted     noted
	unaudited bool          // the person was told that the audit cannot be written
	way       time.Duration // what it and its calls have waited for the runner
}

// told is what others tell a run, and it them.
type told struct {
	wallOver atomic.Bool // the configured time is up; asked about at the next step
	// compactFocus is set when the model asked to compact after this batch.
	compactFocus atomic.Pointer[string]
	leaving      atomic.Bool // the loop has decided to end: nothing can steer it any more
	cancelled    bool        // somebody cancelled it; a transaction of the journal guards it
}

// chosen is what the session said when the run began: what is changed from then on
// is for the next run.
type chosen struct {
	Runner       string
	Model        string
	Params       model.Params
	SystemPrompt *string
}

// Ended is how a run ended (RunResult without the ack).
type Ended struct {
	RunID      string
	StopReason history.StopReason
	Text       string
	Usage      history.Usage
	Changes    []history.FileChange
	Error      *history.RunError
	Message    said.Text
	Next       string // the run that goes on with the work, "" for none
}

// stop is why the loop leaves.
type stop struct {
	reason  history.StopReason
	err     *history.RunError
	message said.Text
}

// cutTwice ends a run whose answers do not fit, twice in a row.
var cutTwice = stop{reason: history.StopMaxTokens, message: said.That("Stopped: the model's answer hit its output limit twice.")}

// refusedBy ends a run whose answer the provider's content filter ended: with the
// provider's words where it gave some, else with its word for it.
func refusedBy(finish, words string) *stop {
	message := said.That("Stopped: the provider's content filter ended the answer (%s).", control.Title(finish, 80))
	if words = strings.TrimSpace(words); words != "" {
		message = said.That("Stopped: the provider's content filter ended the answer: %s", cutText(words, 2<<10))
	}
	return &stop{reason: history.StopRefusal, message: message}
}

// stopFor turns an error of the loop into the end of the run. Whatever the error
// says, a run whose context has ended ends for the reason that ended it.
func (r *run) stopFor(err error) stop {
	if cause := context.Cause(r.ctx); cause != nil {
		err = cause
	}
	var cancelled *cancelCause
	if errors.As(err, &cancelled) {
		if cancelled.wall {
			return stop{reason: history.StopLimit, message: wallMessage(r.limits.wall.max)}
		}
		return stop{reason: history.StopCancelled}
	}
	if full, is := errors.AsType[*noRoom](err); is {
		return stop{reason: history.StopError, err: full.ended()}
	}
	var failure *model.Error
	if errors.As(err, &failure) {
		return stop{reason: history.StopError, err: &history.RunError{Kind: string(failure.Kind), Message: failure.Cause(), Detail: said.Plain(failure.Detail()), Attempts: failure.Attempts}}
	}
	if missing, is := errors.AsType[*model.NotSetError](err); is {
		return stop{reason: history.StopError, err: &history.RunError{Kind: string(model.KindNotSet), Message: missing.Message, Detail: missing.Detail}}
	}
	switch {
	case errors.Is(err, model.ErrNoKey):
		return failed(string(model.KindAuth), err.Error())
	case errors.As(err, new(*hookFailure)):
		return failed("hook_failed", err.Error())
	case errors.As(err, new(*unreachable)):
		return failed("runner_unreachable", err.Error())
	case errors.As(err, new(*RunnerError)):
		return failed("runner_not_configured", err.Error())
	case errors.As(err, new(*noModel)):
		return failed(string(model.KindUnavailable), err.Error())
	}
	return failed("internal", err.Error())
}

func failed(kind, message string) stop {
	return stop{reason: history.StopError, err: &history.RunError{Kind: kind, Message: said.Plain(message)}}
}

func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// cancelCause is why a run's context ended.
type cancelCause struct {
	why  string
	wall bool // the time limit, not a person
}

func (c *cancelCause) Error() string { return "cancelled: " + c.why }

// limits bound one run. Those that a client set for it stop it; the configured
// ones ask where somebody can answer. A sub-agent's never ask: it reports and
// ends.
type limits struct {
	turns, calls, tokens, wall limit
	cost                       limit // in millionths of what the provider counts in
}

// limit is one number; 0 is none.
type limit struct {
	max  int64
	step int64 // as many again after a yes
	asks bool
}

func configured(n int64) limit { return limit{n, n, true} }

func given(n int64) limit { return limit{max: n} }

// reached says that n is too many.
func (l limit) reached(n int64) bool { return l.max > 0 && n >= l.max }

// noted are the entries that a run has made.
type noted struct {
	texts []string
	paths []string
}

// unreachable is why a run cannot begin on the machine of its runner.
type unreachable struct {
	runner string
	error
}

func (e *unreachable) Error() string {
	return fmt.Sprintf("the runner %s cannot be reached: %v", e.runner, e.error)
}

// noModel is why no model could be opened: nothing is configured, or what is
// cannot be used.
type noModel struct{ error }

func (e *noModel) Unwrap() error { return e.error }

// hookFailure ends a run whose prompt or parameters a required hook had to see.
type hookFailure struct{ why string }

func (e *hookFailure) Error() string { return e.why }

func wallMessage(ms int64) said.Text {
	return said.That("Stopped: the time limit of %s was reached.", time.Duration(ms)*time.Millisecond)
}

// smallest is the stricter of two limits, where 0 means none.
func smallest(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
