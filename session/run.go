package session

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// worker works on the runs of a session, one after the other. Only the goroutine that does
// so uses it.
type worker struct {
	*watchers
	deps      *Deps
	id        string // of the session
	journal   *journal.Journal
	blobs     blobs
	view      *view
	env       Environment // as it was at the start of the session
	across    acrossRuns
	authority *authority
	asker     *asker
	calls     *caller
	room      *compactor
	tools     *toolbox
	agents    *roster
}

// acrossRuns is what runs leave for those behind them in this process. Nothing of it is
// logged. Only the goroutine that works on a run uses it.
type acrossRuns struct {
	toldOfTools bool                        // a person was told which tools are left out
	imagesTold  map[string]model.ImagesLeft // what was said of images that a model does not see, by its name
}

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

	tools     tool.Set
	fixed     history.Size // system prompt and tool descriptions
	counted   int64        // the same, counted exactly; 0: not yet
	limits    limits
	system    string       // the system prompt of this run
	params    model.Params // as they were when it began
	unaudited bool         // the person was told that the audit cannot be written
	wallOver  atomic.Bool  // the configured time is up; asked about at the next step
	guard     *control.LoopGuard
	iteration int    // model answers so far
	calls     int    // tool calls so far
	cuts      int    // answers in a row that hit the output limit
	text      string // of the last answer
	by        string // the model that gave it, "" before the first
	nudged    bool
	reporting bool  // a sub-agent's last turn, without tools
	lastOnly  bool  // only the last turn is sent: nothing else fits
	compacted []int // the iterations before which the conversation was compacted
	// compactFocus is set when the model asked to compact after this batch.
	compactFocus atomic.Pointer[string]
	usage        history.Usage
	changes      []history.FileChange
	noted        noted
	leaving      atomic.Bool // the loop has decided to end: nothing can steer it any more
	cancelled    bool        // somebody cancelled it; a transaction of the journal guards it
}

// chosen is what the session said when the run began: what is changed from then on
// is for the next run.
type chosen struct {
	Model        string
	Params       model.Params
	SystemPrompt *string
}

// spend adds what an answer has cost that is not recorded.
func (r *run) spend(u *model.Usage) {
	if u != nil {
		r.usage.Add(&history.TokenCount{InputTokens: u.Input, OutputTokens: u.Output, CachedTokens: u.Cached, Cost: u.Cost})
	}
}

// Ended is how a run ended (RunResult without the ack).
type Ended struct {
	RunID      string
	StopReason string
	Text       string
	Usage      history.Usage
	Changes    []history.FileChange
	Error      *history.RunError
	Message    string
}

// stop is why the loop leaves.
type stop struct {
	reason  string
	err     *history.RunError
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
	for r := s.activity.current(); r != nil; {
		r = s.finish(r, s.work(r))
	}
}

// work is a run from its first request to why it ended.
func (s *Session) work(r *run) (end stop) {
	defer func() {
		if p := recover(); p != nil {
			s.deps.Log.Error().Interface("panic", p).Bytes("stack", debug.Stack()).Msg("run")
			end = failed("internal", fmt.Sprintf("internal error: %v", p))
		}
	}()
	if s.agents.sendable(r.prompt.Agent) {
		return s.sendDirectly(r)
	}
	if err := s.worker.prepare(r); err != nil {
		return r.stopFor(err)
	}
	if r.prompt.Kind == "compaction" {
		return s.worker.room.compactOnRequest(r)
	}
	end = s.worker.loop(r)
	if s.parent != nil && (end.reason == "max_turns" || end.reason == "limit") { // its budget is used up, and it has not said yet what it found
		return s.worker.report(r, end)
	}
	return end
}

// loop is think, call, think again.
func (w *worker) loop(r *run) stop {
	for {
		if end, over := w.limit(r); over {
			return end
		}
		w.hearOfJobs(r)
		w.view.weigh(r, w.view.flushAt(r), w.view.bounds(r.model.Info()).Trigger)
		if end, over := w.room.makeRoom(r); over {
			return end
		}
		answer, err := w.think(r)
		if err != nil {
			return r.stopFor(err)
		}
		if answer.refused != nil {
			return *answer.refused // nothing of it runs, and it is not asked again
		}
		if len(answer.Calls) == 0 {
			if end, over := w.afterText(r, answer); over {
				return end
			}
			continue
		}
		if end, over := w.callAll(r, answer); over {
			return end
		}
	}
}

// afterText decides what an answer without calls means: the end, unless it was
// cut, is empty, or somebody has said something meanwhile.
func (w *worker) afterText(r *run, answer answered) (stop, bool) {
	switch {
	case answer.cut && r.cuts > 1:
		return cutTwice, true
	case answer.cut:
		remind(w.journal, r, "Your answer was cut at the output limit. Continue exactly where it stopped.")
		return stop{}, false
	case strings.TrimSpace(answer.Text) == "" && !r.nudged:
		r.nudged = true
		remind(w.journal, r, "Your last answer was empty. Continue with the task, or say that it is done.")
		return stop{}, false
	}
	x := w.journal.Begin()
	defer x.End()
	if x.State.Unanswered() {
		return stop{}, false
	}
	r.leaving.Store(true)
	if strings.TrimSpace(answer.Text) == "" {
		return stop{reason: "end_turn", message: "Stopped: the model's answer was empty twice."}, true
	}
	return stop{reason: "end_turn"}, true
}

// cutTwice ends a run whose answers do not fit, twice in a row.
var cutTwice = stop{reason: "max_tokens", message: "Stopped: the model's answer hit its output limit twice."}

// refusedBy ends a run whose answer the provider's content filter ended: with the
// provider's words where it gave some, else with its word for it.
func refusedBy(finish, words string) *stop {
	message := "Stopped: the provider's content filter ended the answer"
	if words = strings.TrimSpace(words); words != "" {
		message += ": " + cutText(words, 2<<10)
	} else {
		message += " (" + control.Title(finish, 80) + ")."
	}
	return &stop{reason: "refusal", message: message}
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
			return stop{reason: "limit", message: wallMessage(r.limits.wall.max)}
		}
		return stop{reason: "cancelled"}
	}
	var failure *model.Error
	if errors.As(err, &failure) {
		return stop{reason: "error", err: &history.RunError{Kind: string(failure.Kind), Message: failure.Cause(), Detail: failure.Detail(), Attempts: failure.Attempts}}
	}
	if missing, is := errors.AsType[*model.NotSetError](err); is {
		return stop{reason: "error", err: &history.RunError{Kind: string(model.KindNotSet), Message: missing.Message, Detail: missing.Detail}}
	}
	switch {
	case errors.Is(err, model.ErrNoKey):
		return failed(string(model.KindAuth), err.Error())
	case errors.As(err, new(*hookFailure)):
		return failed("hook_failed", err.Error())
	case errors.As(err, new(*noModel)):
		return failed(string(model.KindUnavailable), err.Error())
	}
	return failed("internal", err.Error())
}

func failed(kind, message string) stop {
	return stop{reason: "error", err: &history.RunError{Kind: kind, Message: message}}
}

func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
