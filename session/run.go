package session

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// run is one prompt until its end. Only the goroutine that works on it writes
// its fields; what others may touch has a lock of its own.
type run struct {
	id     string
	prompt RunStarted
	agent  control.Agent
	model  model.Model

	ctx    context.Context // ends with the cause of a cancel
	cancel context.CancelCauseFunc
	clock  *clock

	tools     tool.Set
	fixed     size // system prompt and tool descriptions
	limits    limits
	unlimited bool // somebody said always to a limit
	guard     *control.LoopGuard
	iteration int // model answers so far
	calls     int // tool calls so far
	cuts      int // answers that hit the output limit
	nudged    bool
	rescued   bool // compacted once for the provider's sake
	// compactFocus is set when the model asked to compact after this batch.
	compactFocus *string
	usage        Usage
	changes      []FileChange
	leaving      bool // guarded by the session's lock: the loop has decided to end
}

// Ended is how a run ended (protocol §3 RunResult without the ack).
type Ended struct {
	RunID      string
	StopReason string
	Text       string
	Usage      Usage
	Changes    []FileChange
	Error      *RunError
	Message    string
}

// stop is why the loop leaves.
type stop struct {
	reason  string
	err     *RunError
	message string
}

// Run takes a prompt and works until it, and whatever was queued behind it, has
// ended. Cancelling ctx cancels the run.
func (s *Session) Run(ctx context.Context, p Prompt) (Ended, error) {
	ack, err := s.Prompt(p)
	if err != nil {
		return Ended{}, err
	}
	unhook := context.AfterFunc(ctx, func() { s.Cancel(CancelTarget{RunID: ack.RunID}, "cancelled") })
	defer unhook()
	s.Work()
	return s.Wait(context.WithoutCancel(ctx), ack.RunID)
}

// Work runs what Prompt has started and everything that is queued behind it. It
// is called once for every Ack whose disposition is "started", by a goroutine
// that the caller owns.
func (s *Session) Work() {
	for r := s.current(); r != nil; r = s.next() {
		s.finish(r, s.work(r))
	}
}

// work is the loop: think, call, think again (session §3).
func (s *Session) work(r *run) (end stop) {
	defer func() {
		if p := recover(); p != nil {
			s.deps.Log.Error().Interface("panic", p).Bytes("stack", debug.Stack()).Msg("run")
			end = failed("internal", fmt.Sprintf("internal error: %v", p))
		}
	}()
	if err := s.prepare(r); err != nil {
		return s.stopFor(r, err)
	}
	if r.prompt.Kind == "compaction" {
		return s.compactOnRequest(r)
	}
	for {
		if end, over := s.limit(r); over {
			return end
		}
		s.makeRoom(r)
		answer, err := s.think(r)
		if err != nil {
			return s.stopFor(r, err)
		}
		if len(answer.Calls) == 0 {
			if end, over := s.afterText(r, answer); over {
				return end
			}
			continue
		}
		if end, over := s.callAll(r, answer); over {
			return end
		}
	}
}

// afterText decides what an answer without calls means: the end, unless it was
// cut, is empty, or somebody has said something meanwhile.
func (s *Session) afterText(r *run, answer answered) (stop, bool) {
	switch {
	case answer.cut && r.cuts > 1:
		return stop{reason: "max_tokens", message: "Stopped: the model's answer hit its output limit twice."}, true
	case answer.cut:
		s.remind(r, "Your answer was cut at the output limit. Continue exactly where it stopped.")
		return stop{}, false
	case answer.Text == "" && !r.nudged:
		r.nudged = true
		s.remind(r, "Your last answer was empty. Continue with the task, or say that it is done.")
		return stop{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.t.unanswered() {
		return stop{}, false
	}
	r.leaving = true
	return stop{reason: "end_turn"}, true
}

// stopFor turns an error of the loop into the end of the run.
func (s *Session) stopFor(r *run, err error) stop {
	var cancelled *cancelCause
	if errors.As(context.Cause(r.ctx), &cancelled) {
		if cancelled.wall {
			return stop{reason: "limit", message: fmt.Sprintf("Stopped: the time limit of %s was reached.", time.Duration(r.limits.wallMs)*time.Millisecond)}
		}
		return stop{reason: "cancelled"}
	}
	var failure *model.Error
	if errors.As(err, &failure) {
		return stop{reason: "error", err: &RunError{Kind: string(failure.Kind), Message: failure.Error(), Attempts: failure.Attempts}}
	}
	return failed("internal", err.Error())
}

func failed(kind, message string) stop {
	return stop{reason: "error", err: &RunError{Kind: kind, Message: message}}
}

// finish writes the last word of a run. It uses no cancelled context: whatever
// happened before, the log ends well.
func (s *Session) finish(r *run, end stop) {
	s.closeOpenCalls(r, end.reason)
	if end.reason == "cancelled" {
		s.cancelPending(r)
	}
	r.usage.Context = s.context(r)
	state := "finished"
	if end.reason == "error" {
		state = "error"
	}
	s.show(r.id, "run.state", RunState{State: state, Iteration: r.iteration, Detail: detailOf(end)})
	body := RunEnded{StopReason: end.reason, Usage: r.usage, Changes: nonNil(r.changes), Error: end.err, Message: end.message}
	if s.deps.Audit != nil {
		body.Audit = s.deps.Audit(s.root().id).Last()
	}
	_ = s.record(r.id, body) // a log that cannot be written has been reported
	r.clock.stop()
	r.cancel(nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	text := ""
	if a := s.t.lastAnswer(); a != nil {
		text = a.Text
	}
	s.settleLocked(r.id, Ended{r.id, end.reason, text, r.usage, nonNil(r.changes), end.err, end.message})
	s.writeInfo()
}

func detailOf(end stop) string {
	if end.err != nil {
		return end.err.Message
	}
	return ""
}

// RunState is what the run does now (protocol §5).
type RunState struct {
	State     string `json:"state"` // thinking, tool_calling, waiting_approval, retrying, compacting, finished, error
	Detail    string `json:"detail,omitempty"`
	Iteration int    `json:"iteration"`
	Attempt   int    `json:"attempt,omitempty"`
	InMs      int64  `json:"inMs,omitempty"`
}

func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
