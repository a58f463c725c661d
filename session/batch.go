package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/tasks"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// mostTogether bounds how many read-only calls run at the same time.
const mostTogether = 5

// callAll runs the calls of one answer: read-only ones that are together are
// judged in order, run together and recorded in order; the others go one by one.
func (w *worker) callAll(r *run, answer answered) (stop, bool) {
	w.show(r.id, "run.state", RunState{State: "tool_calling", Detail: namesOf(answer.Calls), Iteration: r.iteration})
	for calls := answer.Calls; len(calls) > 0; {
		room, end, over := w.limitCalls(r)
		if over {
			return end, true
		}
		batch := calls[:min(room, r.together(calls))]
		steps := w.calls.authorizeAll(r, batch, answer.cut)
		w.calls.executeTogether(r, steps)
		if answer.dropped > 0 && len(batch) == len(calls) {
			last := steps[len(steps)-1]
			last.note = joinLines(fmt.Sprintf("(Your answer had %d more calls than the %d that one answer may have; those were not run. Make them again if they are still needed.)", answer.dropped, mostCalls), last.note)
		}
		for _, j := range steps {
			w.calls.record(r, j)
			r.calls++
		}
		if end, over := afterBatch(r, steps); over {
			return end, true
		}
		calls = calls[len(batch):]
	}
	if r.cuts > 1 {
		return cutTwice, true
	}
	return stop{}, false
}

// authorizeAll authorizes calls in order, and none behind one that ends the run. Then
// those before it do not run either: somebody has said stop.
func (l *caller) authorizeAll(r *run, calls []history.Call, cut bool) []*invocation {
	var steps []*invocation
	for _, c := range calls {
		j := l.authorize(r, c, cut)
		steps = append(steps, j)
		if j.end == nil && r.ctx.Err() == nil {
			continue
		}
		for _, before := range steps {
			if before.result.Status == "" {
				before.refuse(history.StatusCancelled, "")
			}
		}
		break
	}
	return steps
}

// alone are the tools that are called one by one: what such a call does is there before the
// next one is judged.
var alone = append([]string{skillName}, tasks.Names...)

// together is how many of the first calls may run at the same time.
func (r *run) together(calls []history.Call) int {
	n := 0
	for n < len(calls) && n < mostTogether {
		t, ok := r.tools.Lookup(calls[n].Tool)
		if !ok || calls[n].Said != "" || t.Spec().Effect != tool.Read || slices.Contains(alone, calls[n].Tool) {
			break
		}
		n++
	}
	return max(n, 1)
}

func (l *caller) executeTogether(r *run, steps []*invocation) {
	if len(steps) == 1 {
		l.execute(r, steps[0])
		return
	}
	var group sync.WaitGroup
	for _, j := range steps {
		done := make(chan struct{})
		group.Go(func() { defer close(done); l.execute(r, j) })
		if j.call.Tool == taskName { // sub-agents are numbered in the order of their calls
			select {
			case <-j.begun:
			case <-done:
			}
		}
	}
	group.Wait()
}

// afterBatch ends the run where a person interrupted, a loop was stopped or the
// run was cancelled.
func afterBatch(r *run, steps []*invocation) (stop, bool) {
	if r.ctx.Err() != nil {
		return r.stopFor(context.Cause(r.ctx)), true
	}
	for _, j := range steps {
		if j.end != nil {
			return *j.end, true
		}
	}
	return stop{}, false
}

func namesOf(calls []history.Call) string {
	names := make([]string, len(calls))
	for i, c := range calls {
		names[i] = c.Tool
	}
	return control.Title(strings.Join(names, ", "), 120)
}
