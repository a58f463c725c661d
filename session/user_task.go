package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// sendDirectly is a run in which a person has sent a sub-agent: nothing is thought
// here. The session's own agent is its parent, whose ceiling holds; the model hears
// of it with the next prompt.
func (s *Session) sendDirectly(r *run) stop {
	var err error
	if r.model, err = s.deps.openModel(r); err != nil {
		return r.stopFor(&noModel{err})
	}
	parent, err := s.agents.named(s.Info().Agent)
	if err != nil {
		return r.stopFor(err)
	}
	own, ok := s.deps.subagent(r.prompt.Agent)
	if !ok {
		return failed("internal", fmt.Sprintf("there is no longer a sub-agent %q", r.prompt.Agent))
	}
	x := s.journal.Begin()
	r.agent = parent
	r.leaving.Store(true) // there is no conversation that could be steered
	x.End()
	s.root.spent.bound(r.prompt.Limits)
	if end, over := s.worker.limitBudgets(r); over { // the sub-agent would not ask
		return end
	}
	s.calls.watchers.show(r.id, "run.state", RunState{State: "tool_calling", Detail: taskName})
	j := &invocation{call: history.Call{CallID: s.journal.NewID("c"), Tool: taskName}, started: time.Now()}
	prompt := askedOf(r.prompt.Prompt, s.intake.blobs.get)
	report, err := own.Run(r.ctx, s, Task{Agent: r.prompt.Agent, Prompt: prompt, CallID: j.call.CallID, Model: r.prompt.Model, Limits: r.prompt.Limits})
	status := history.StatusCompleted
	switch {
	case r.ctx.Err() != nil:
		status = history.StatusCancelled
		report.Text = "[Cancelled by the user]"
	case err != nil:
		status = history.StatusFailed
		report.Text = "Error: " + err.Error()
	case report.Failed:
		status = history.StatusFailed
		report.Text = "Error: " + report.Text
	default:
		j.note = resumeNote(r.prompt.Agent, report.Path)
	}
	j.returned(status, report.Text)
	s.calls.truncate(r, j, j.note)
	recordOrCancel(s.journal, r, history.UserMessage{MessageID: s.journal.NewID("m"), Synthetic: true, Content: history.Text(fmt.Sprintf("%s\n\ntask(agent=%q, prompt=%q)\n\n%s",
		history.ByUser, r.prompt.Agent, control.Title(prompt, 400), j.result.Text))})
	if r.changes = report.Changes; status == history.StatusCompleted {
		r.text = report.Text
	}
	switch {
	case r.ctx.Err() != nil:
		return r.stopFor(context.Cause(r.ctx))
	case err != nil:
		return failed("internal", err.Error())
	case report.Error != nil:
		return stop{reason: history.StopError, err: report.Error}
	case report.Failed: // it alone was cancelled
		return stop{reason: history.StopCancelled}
	}
	return stop{reason: history.StopEndTurn}
}

// askedOf is a prompt as a sub-agent reads it: as text.
func askedOf(blocks []history.Block, load func(string) ([]byte, error)) string {
	text := history.Seen(blocks, load)
	for _, b := range history.ForModel(blocks) {
		if b.Type == "image" {
			text += "\n[an image, which you do not see]"
		}
	}
	return strings.TrimSpace(text)
}
