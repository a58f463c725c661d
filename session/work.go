package session

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
)

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
	ended, err := s.Wait(context.WithoutCancel(ctx), ack.RunID)
	for err == nil && ended.Next != "" { // what it planned was carried out
		ended, err = s.Wait(context.WithoutCancel(ctx), ended.Next)
	}
	return ended, err
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
	if err := s.goTo(r); err != nil {
		return r.stopFor(err)
	}
	if s.agents.sendable(r.prompt.Agent) {
		return s.sendDirectly(r)
	}
	defer bringer{s.worker}.comeBack(r)
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

// goTo puts the session where the run is to work, and makes sure that this can be reached.
// A sub-agent is where the session above it is.
func (s *Session) goTo(r *run) error {
	if s.parent != nil {
		return nil
	}
	s.deps.Config.Reload()
	if err := s.root.settle(s.deps, r.chosen.Runner); err != nil {
		return err
	}
	place := s.root.place()
	if place.Reach == nil {
		return nil
	}
	began := time.Now()
	err := place.Reach(r.ctx)
	r.way += place.waited(began)
	if err != nil {
		return &unreachable{place.Runner, err}
	}
	return s.hearOfLost(r, place)
}

// finish writes the last word of a run and starts the next one that waits, in
// one step: who sees run.ended may start a run of their own at once. It uses no
// cancelled context: whatever happened before, the log ends well.
func (s *Session) finish(r *run, end stop) (next *run) {
	r.leaving.Store(true)
	if s.parent == nil {
		s.root.narrowed.Store(nil)
	}
	s.worker.closeOpenCalls(r, string(end.reason))
	s.worker.cancelPending(r)
	s.worker.tellNoted(r)
	r.usage.Context = s.worker.view.context(r)
	state := RunState{State: "finished", Iteration: r.iteration}
	if end.err != nil {
		state = RunState{State: "error", Iteration: r.iteration, Detail: end.err.Message.String()}
	}
	s.calls.watchers.show(r.id, "run.state", state)
	body := history.RunEnded{StopReason: end.reason, Usage: r.usage, Changes: nonNil(boundChanges(r.changes, maxEncoded/2)), Error: end.err, Message: end.message, WayMs: s.root.place().waitedMs(r.way)}
	body.Audit = s.deps.Audits.Audit(s.root.id).Seal()
	body = placeholder.Redacted(s.root.redactor, body) // who waits for the run is told the same
	r.clock.stop()
	x := s.journal.Begin()
	defer x.End()
	_ = x.Append(r.id, body) // a log that cannot be written has been reported
	r.cancel(nil)
	s.ends.settle(r.id, Ended{r.id, end.reason, r.text, r.usage, nonNil(r.changes), body.Error, body.Message, r.next})
	s.writeInfo(x)
	return s.next(x)
}

func goesOn(q history.Queued) bool { return q.Entry.Kind == "continuation" }

// next starts the first queued prompt, or leaves the session idle. Where
// the log refuses, what waits keeps waiting in it; who waits for it is told.
func (s *Session) next(x *journal.Txn) *run {
	s.live = nil
	if len(x.State.Queue) == 0 || s.closing {
		s.rest()
		return nil
	}
	q := x.State.Queue[max(0, slices.IndexFunc(x.State.Queue, goesOn))] // new prompts wait until the work at hand is done
	err := s.start(x, q.RunID, q.Entry.Request)
	if err == nil {
		return s.live
	}
	for _, q := range x.State.Queue {
		s.ends.settle(q.RunID, Ended{RunID: q.RunID, StopReason: history.StopError, Changes: []history.FileChange{}, Error: &history.RunError{Kind: "internal", Message: said.Plain(err.Error())}})
	}
	return nil
}

// start makes the run and records that it has started.
func (s *Session) start(x *journal.Txn, id string, asked history.Request) error {
	own := x.State.Info.Model
	asked.Agent = cmp.Or(asked.Agent, x.State.Info.Agent)
	if asked.Model == "" {
		asked.Model = s.deps.modelFor(asked.Agent, own)
	}
	asked.Kind = cmp.Or(asked.Kind, "prompt")
	body := history.RunStarted(asked)
	ctx, cancel := context.WithCancelCause(context.Background())
	if s.idle == nil {
		s.idle = make(chan struct{})
	}
	s.live = &run{id: id, prompt: body, ctx: ctx, cancel: cancel, clock: newClock(),
		chosen: chosen{x.State.Info.Runner, own, x.State.Info.Params, x.State.SystemPrompt}}
	if err := x.TryAppend(id, body); err != nil {
		s.live = nil
		s.rest()
		cancel(nil)
		return err
	}
	return nil
}
