package worker

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/runner/seam"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace"
)

// owner is a session that tools were made for. They are made once, because they remember
// what was read.
type owner struct {
	reading  atomic.Pointer[control.Reading] // as it was told last
	tools    tool.Set
	explains tool.Set
}

// told takes over how a session is now.
func (w *worker) told(p seam.Owner) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.vault == nil || len(p.Reading) == 0 {
		return
	}
	o := w.sessions[p.Session]
	if o == nil {
		o = &owner{}
		of := workspace.Owner{Session: p.Session, Folder: w.folderOf(p.Session), MayRead: func(base string) func(string) bool { return o.reading.Load().May(base) }}
		o.tools = tool.NewSet(w.vault.Tools(of)...)
		o.explains = tool.NewSet(w.vault.ToolsToExplain(of)...)
		w.sessions[p.Session] = o
	}
	w.settings = p.Settings
	reading := p.Reading.At(w.vault)
	o.reading.Store(&reading)
}

// owner is a session that the worker was told of.
func (w *worker) owner(session string) (*owner, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	o := w.sessions[session]
	if o == nil {
		return nil, errors.New("the worker was not told of the session " + session)
	}
	return o, nil
}

// toolOf is a tool of a session.
func (w *worker) toolOf(p seam.ToPlan) (tool.Tool, error) {
	o, err := w.owner(p.Session)
	if err != nil {
		return nil, err
	}
	set := o.tools
	if p.Explain {
		set = o.explains
	}
	t, ok := set.Lookup(p.Tool)
	if !ok {
		return nil, errors.New("the worker has no tool " + p.Tool)
	}
	return t, nil
}

// folderOf is where what a session has read is kept for the next worker. Its name is
// hashed, because it comes from elsewhere. "": nothing can be kept.
func (w *worker) folderOf(session string) string {
	sum := sha256.Sum256([]byte(w.vault.WorkspaceID() + "\x00" + session))
	dir := filepath.Join(w.Home, "elsewhere", hex.EncodeToString(sum[:16]))
	if err := w.Disk.MkdirAll(dir, 0o700); err != nil {
		w.Failed("keep what a session has read", err)
		return ""
	}
	return dir
}

// plans are those that may still be run, the last mostPlans of them.
type plans struct {
	made int64 // so far; the id of the last one
	kept map[int64]*tool.Plan
}

const mostPlans = 256

func (p *plans) keep(plan *tool.Plan) (id int64) {
	if p.kept == nil {
		p.kept = map[int64]*tool.Plan{}
	}
	p.made++
	p.kept[p.made] = plan
	delete(p.kept, p.made-mostPlans)
	return p.made
}

func (p *plans) take(id int64) *tool.Plan {
	plan := p.kept[id]
	delete(p.kept, id)
	return plan
}

// plan says what a call would do.
func (w *worker) plan(_ context.Context, p seam.ToPlan) (seam.Planned, error) {
	t, err := w.toolOf(p)
	if err != nil {
		return seam.Planned{}, err
	}
	plan, err := t.Plan(json.RawMessage(p.Input))
	out := seam.Planned{}
	if err != nil {
		out.Error = err.Error()
	}
	if old, ok := errors.AsType[*tool.Outdated](err); ok {
		out.Outdated = true
		plan = old.Plan
	}
	if plan != nil {
		out.Looks = w.looks(p.Session, plan)
		w.mu.Lock()
		defer w.mu.Unlock()
		out.Plan = &seam.PlanData{ID: w.plans.keep(plan), Plan: callOf(plan), HasPreview: plan.Preview != nil}
	}
	return out, nil
}

func callOf(p *tool.Plan) seam.Call {
	return seam.Call{
		Tool: p.Tool, Effect: p.Effect, Title: p.Title, Targets: p.Targets, Below: p.Below, Command: p.Command, Dir: p.Dir, Needs: p.Needs, Reads: p.Reads,
		Destructive: p.Destructive, Why: p.Why.String(), Input: p.Input, Base: p.Base, Starts: p.Starts, Digest: p.Digest, Lock: p.Lock,
	}
}

// again is the plan with an id, or where that is forgotten the same made anew.
func (w *worker) again(p seam.ToPlan, id int64, take bool) (*tool.Plan, error) {
	w.mu.Lock()
	plan := w.plans.kept[id]
	if take {
		w.plans.take(id)
	}
	w.mu.Unlock()
	if plan != nil {
		return plan, nil
	}
	t, err := w.toolOf(p)
	if err != nil {
		return nil, err
	}
	return t.Plan(json.RawMessage(p.Input))
}

func (w *worker) preview(ctx context.Context, p seam.ToPreview) (tool.Preview, error) {
	plan, err := w.again(p.ToPlan, p.ID, false)
	if err != nil || plan.Preview == nil {
		return tool.Preview{}, cmp.Or(err, errors.New("there is nothing to show"))
	}
	return plan.Preview(ctx, p.Grant)
}

// run does what was planned, if it is still that.
func (w *worker) run(ctx context.Context, p seam.ToRun) (seam.Ran, error) {
	plan, err := w.again(p.ToPlan, p.ID, true)
	if err != nil {
		return seam.Ran{Result: tool.Failed(err)}, nil
	}
	if plan.Digest != p.Digest {
		return seam.Ran{Result: tool.Failed(errors.New("what the call would do has changed since it was allowed, so nothing was run; run it again to have it judged as it is now"))}, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.mu.Lock()
	w.runs[p.Key] = cancel
	w.mu.Unlock()
	defer w.cancel(p.Key)
	if plan.Effect != tool.Read {
		defer w.alone(p.Session)()
	}
	began := time.Now()
	result, err := plan.Run(ctx, p.Grant, sinkOf(w, p))
	out := seam.Ran{Result: result, Took: time.Since(began), Job: p.Jobs && w.open().JobRuns(p.Session, p.CallID), Jobs: w.open().AnyJobs(p.Session)}
	if err != nil {
		out.Error = err.Error()
	}
	if w.ctx.Err() != nil { // nobody is there to hear it
		if err := w.open().KeepLost(p.Line, p.CallID, result.Changes); err != nil {
			w.Failed("keep what a call has changed", err)
		}
	}
	return out, nil
}

// alone waits until no other worker changes anything for a session: one whose sidecar was
// killed may still be ending a command. The result lets the next one in.
func (w *worker) alone(session string) (done func()) {
	w.mu.Lock()
	folder := w.folderOf(session)
	w.mu.Unlock()
	if folder == "" {
		return func() {}
	}
	lock, err := w.Disk.Lock(filepath.Join(folder, "lock"))
	if err != nil {
		w.Failed("wait for the worker before this one", err)
		return func() {}
	}
	return func() { _ = lock.Close() } // it lasts no longer than the process
}

// cancel ends a run.
func (w *worker) cancel(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if stop := w.runs[key]; stop != nil {
		stop()
		delete(w.runs, key)
	}
}

// sink tells the sidecar what a run says.
type sink struct {
	w *worker
	p seam.ToRun
}

// sinkOf is the sink of a run. One that nobody would hear a job's end of cannot tell it.
func sinkOf(w *worker, p seam.ToRun) tool.Sink {
	if p.Jobs {
		return teller{sink{w, p}}
	}
	return sink{w, p}
}

func (s sink) CallID() string { return s.p.CallID }

func (s sink) Line() string { return s.p.Line }

func (s sink) Output(stream, text string) {
	s.w.peer.Tell(seam.Said, seam.Piece{Key: s.p.Key, Stream: stream, Text: text})
}

func (s sink) Spill(mime string) (tool.Spill, error) {
	return s.w.open().Artifacts().Create(s.p.Grant.Origin.Root, s.p.Tool, s.p.CallID, mime)
}

type teller struct{ sink }

func (t teller) JobEnded(e tool.JobEnd) {
	t.w.peer.Tell(seam.Ended, seam.JobOver{Key: t.p.Key, End: e})
}
