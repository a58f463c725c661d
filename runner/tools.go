package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/runner/seam"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Owner is the session that tools are made for.
type Owner interface {
	ID() string
	Reading() control.Reading
}

// Tools are the worker's tools for one session. Where none was reached yet there are none.
func (h *Hands) Tools(of Owner) []tool.Tool { return h.tools(of, false) }

// ToolsToExplain are the same tools for plans that are judged and never run.
func (h *Hands) ToolsToExplain(of Owner) []tool.Tool { return h.tools(of, true) }

func (h *Hands) tools(of Owner, explain bool) (out []tool.Tool) {
	for _, spec := range h.Machine().Tools {
		out = append(out, distant{h.link, spec, of, explain})
	}
	return out
}

// distant is a tool of a worker.
type distant struct {
	l       *link
	spec    tool.Spec
	of      Owner
	explain bool
}

func (d distant) Spec() tool.Spec { return d.spec }

// Plan implements tool.Tool.
func (d distant) Plan(args json.RawMessage) (*tool.Plan, error) {
	p := seam.ToPlan{Session: d.of.ID(), Tool: d.spec.Name, Input: string(args), Explain: d.explain}
	planned, err := askFor[seam.Planned](context.Background(), d, seam.Plan, p)
	if err != nil {
		return nil, err
	}
	d.l.looks.add(planned.Looks)
	var plan *tool.Plan
	if planned.Plan != nil {
		plan = d.planOf(p, *planned.Plan)
	}
	if planned.Error == "" && plan != nil {
		return plan, nil
	}
	if planned.Outdated && plan != nil {
		return nil, &tool.Outdated{Plan: plan, Err: errors.New(planned.Error)}
	}
	return nil, errors.New(planned.Error)
}

// askFor asks the worker for a session, of which it is told first what it does not know yet.
func askFor[R any](ctx context.Context, d distant, method string, params any) (out R, err error) {
	p, err := d.l.reach(ctx)
	if err != nil {
		return out, err
	}
	if err := d.l.told(p, seam.Owner{Session: d.of.ID(), Reading: d.of.Reading(), Settings: d.l.greeting().Settings}); err != nil {
		return out, err
	}
	return seam.Ask[R](ctx, p, method, params)
}

// planOf is a plan that is run where it was made.
func (d distant) planOf(p seam.ToPlan, made seam.PlanData) *tool.Plan {
	c := made.Plan
	plan := &tool.Plan{
		Tool: c.Tool, Effect: c.Effect, Title: c.Title, Targets: c.Targets, Below: c.Below, Command: c.Command, Dir: c.Dir, Needs: c.Needs, Reads: c.Reads,
		Destructive: c.Destructive, Why: said.Plain(c.Why), Input: c.Input, Base: c.Base, Starts: c.Starts, Digest: c.Digest, Lock: c.Lock,
	}
	if made.HasPreview {
		plan.Preview = func(ctx context.Context, g tool.Grant) (tool.Preview, error) {
			return askFor[tool.Preview](ctx, d, seam.Preview, seam.ToPreview{ToPlan: p, ID: made.ID, Grant: g})
		}
	}
	digest := plan.Digest // the session adds to that of the plan
	plan.Run = func(ctx context.Context, g tool.Grant, sink tool.Sink) (tool.Result, error) {
		if plan.Effect != tool.Read {
			d.l.looks.drop()
		}
		return d.run(ctx, seam.ToRun{ToPlan: p, ID: made.ID, Digest: digest, Grant: g, CallID: sink.CallID(), Line: sink.Line()}, sink)
	}
	return plan
}

// run lets the worker run a plan, and hands on what it says meanwhile.
func (d distant) run(ctx context.Context, p seam.ToRun, sink tool.Sink) (tool.Result, error) {
	teller, _ := sink.(tool.Teller)
	var forget func()
	p.Key, forget = d.l.hear(func(what any) {
		switch what := what.(type) {
		case seam.Piece:
			sink.Output(what.Stream, what.Text)
		case tool.JobEnd:
			if teller != nil {
				teller.JobEnded(what)
			}
		}
	})
	p.Jobs = teller != nil
	stop := context.AfterFunc(ctx, func() { d.l.cancel(p.Key) })
	defer stop()
	began := time.Now()
	ran, err := askFor[seam.Ran](context.WithoutCancel(ctx), d, seam.Run, p)
	ran.Result.Way = max(time.Since(began)-ran.Took, 0)
	ran.Result.Changes = d.l.known(ran.Result.Changes)
	if s := ran.Result.Spilled; s != nil {
		d.l.forgetDirs()
		if s.Artifact != nil {
			*s.Artifact = d.l.kept(*s.Artifact)
		}
	}
	if !ran.Job {
		forget()
	}
	if ran.Jobs {
		d.l.hasJobs(p.Session)
	}
	switch {
	case errors.Is(err, seam.ErrGone):
		return tool.Result{}, fmt.Errorf("%w: the connection to the worker ended", tool.ErrInterrupted)
	case err != nil:
		return tool.Result{}, err
	case ctx.Err() != nil && ran.Error != "":
		return ran.Result, context.Cause(ctx)
	case ran.Error != "":
		return ran.Result, errors.New(ran.Error)
	}
	return ran.Result, nil
}
