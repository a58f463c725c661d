package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// bringer keeps the files of this machine and of where a session works the same.
type bringer struct{ *worker }

// twinned is the twin of where the session works; nil for a sub-agent, whose session does it.
func (w bringer) twinned() Twin {
	if w.session.above != nil {
		return nil
	}
	return w.root.place().Twin
}

// bringLeft brings here what the session has left on machines that it does not work on any more.
func (w bringer) bringLeft(r *run) error {
	if w.session.above != nil || w.deps.Elsewhere == nil || r.prompt.Kind == "compaction" {
		return nil
	}
	kept, missing := w.deps.Elsewhere.Kept(r.ctx, w.id)
	for _, f := range kept {
		err := w.bring(r, f)
		if r.ctx.Err() != nil {
			return context.Cause(r.ctx)
		}
		if err != nil {
			missing = append(missing, Missing{f.Runner, err})
		}
	}
	for _, m := range missing {
		w.comesLater(r, m)
	}
	return nil
}

// comesLater says that what was changed on a runner is not here yet.
func (w bringer) comesLater(r *run, m Missing) {
	w.show(r.id, "notice", Notice{Severity: "warning", Kind: "sync",
		Title: said.That("What was changed on the runner %s comes back with the next run: %s", m.Runner, m.Why.Error())})
}

// sendFiles makes the files where a run works what they are here, once what an earlier run has
// left there is brought back.
func (w bringer) sendFiles(r *run) error {
	twin := w.twinned()
	if twin == nil || r.prompt.Kind == "compaction" {
		return nil
	}
	if err := w.bringBack(r, twin); err != nil {
		return &unreachable{w.root.place().Runner, err}
	}
	typed, err := twin.Send(r.ctx, w.id, r.id)
	if err != nil {
		return &unreachable{w.root.place().Runner, err}
	}
	r.sent = true
	if len(typed) > 0 {
		remind(w.journal, r, fmt.Sprintf("Text in the editor that is not saved is not on the runner: %s.", strings.Join(typed, ", ")))
	}
	return nil
}

// comeBack brings here what a run has changed where it worked. One that was cancelled leaves it
// to the next: nobody is asked behind a cancel.
func (w bringer) comeBack(r *run) {
	twin := w.twinned()
	if twin == nil || !r.sent {
		return
	}
	err := context.Cause(r.ctx)
	if err == nil {
		err = w.bringBack(r, twin)
	}
	if err != nil {
		w.comesLater(r, Missing{w.root.place().Runner, err})
	}
}

// bringBack brings here what is other where the session works than it was sent there: each
// file is judged like an edit of this machine, and those that ask are asked about in one question.
func (w bringer) bringBack(r *run, twin Twin) error {
	fetched, err := twin.Fetch(r.ctx, w.id, r.id)
	if err != nil || fetched == nil {
		return err
	}
	return w.bring(r, fetched)
}

// bring brings here what was fetched, and says what of it is not.
func (w bringer) bring(r *run, fetched *Fetched) error {
	left, err := w.takeOver(r, fetched)
	if err != nil {
		return err
	}
	if left = append(left, fetched.Left...); len(left) > 0 {
		var paths, reasons []string
		for _, c := range left {
			paths, reasons = append(paths, c.Path), append(reasons, c.Path+" ("+string(c.Reason)+")")
		}
		w.show(r.id, "notice", Notice{Severity: "warning", Kind: "sync", Conflicts: boundConflicts(left, maxUndone),
			Title: said.That("Not brought back from the runner %s: %s", fetched.Runner, control.Title(strings.Join(paths, ", "), maxReason))})
		remind(w.journal, r, "Of what was changed on the runner, this was not taken over, and is as it is in the user's workspace again: "+control.Title(strings.Join(reasons, ", "), maxReason))
	}
	return fetched.Settle(r.ctx)
}

// takeOver lets the caller work on this machine while it brings files here.
func (w bringer) takeOver(r *run, f *Fetched) ([]tool.Conflict, error) {
	at := w.root.place()
	w.root.placement.at.Store(w.deps.Here)
	defer w.root.placement.at.Store(at)
	return w.calls.bring(r, f)
}

// bring takes files of another machine over, along the line of every call.
func (l *caller) bring(r *run, f *Fetched) (left []tool.Conflict, err error) {
	paths := make([]string, 0, len(f.Paths))
	for _, path := range f.Paths {
		plan, err := f.plan([]string{path})
		switch {
		case err != nil:
			left = append(left, tool.Conflict{Path: path, Reason: tool.ReasonOf(err)})
		case len(plan.Base) == 0: // it is so already
		case l.authority.policy(r.agent).Decide(plan).Verdict == control.Deny:
			left = append(left, tool.Conflict{Path: path, Reason: tool.Denied})
		default:
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return left, nil
	}
	input, err := json.Marshal(map[string][]string{"paths": paths})
	if err != nil {
		return nil, err
	}
	j := &invocation{call: history.Call{CallID: l.journal.NewID("sync"), Tool: f.Tool.Spec().Name, Input: input}, tool: f.Tool, input: input, started: time.Now(), begun: make(chan struct{})}
	j.ctx, j.done = l.stoppable(r, j.call.CallID)
	defer j.done()
	l.hookBefore(r, j)
	if _, err := l.makePlan(j, j.call.Tool); err != nil {
		return nil, err
	}
	if j.refused != nil {
		j.authorized = j.refused.over(j.plan)
	} else {
		j.authorized = l.decide(r, j)
	}
	j.authorized = l.audited(r, j)
	switch {
	case r.ctx.Err() != nil:
		return nil, context.Cause(r.ctx)
	case j.authorized.by == "nobody":
		return nil, fmt.Errorf("nobody was there to say yes to %d files", len(paths))
	case !j.authorized.allow:
		for _, path := range paths {
			left = append(left, tool.Conflict{Path: path, Reason: tool.Rejected})
		}
		return left, nil
	}
	l.execute(r, j)
	l.recordChanges(r, j)
	if j.result.Status != history.StatusCompleted {
		return nil, errors.New(j.result.Text)
	}
	return append(left, j.conflicts...), nil
}

func (f *Fetched) plan(paths []string) (*tool.Plan, error) {
	input, err := json.Marshal(map[string][]string{"paths": paths})
	if err != nil {
		return nil, err
	}
	return f.Tool.Plan(input)
}
