package session

import (
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// handOver is a session whose plan a person accepts.
type handOver struct{ *Session }

// accepted gives the session to the agent build and queues the run that carries the plan out:
// that is on disk before this run ends.
func (s handOver) accepted(out tool.Sink, plan string) (tool.Result, error) {
	k, ok := out.(*sink)
	if !ok {
		return tool.Result{Text: "no run is active", Failed: true}, nil
	}
	agent := config.BuildAgent
	if _, err := s.Update(Update{Agent: &agent, Mode: k.step.authorized.mode}); err != nil {
		return tool.Failed(err), nil
	}
	ack, err := s.Prompt(Prompt{Delivery: DeliverQueue, Request: history.Request{
		Kind: "continuation", Agent: agent, Prompt: history.Text("I accept this plan. Carry it out.\n\n" + plan),
	}})
	if err != nil {
		return tool.Failed(err), nil
	}
	k.run.next = ack.RunID
	text := "The user accepted the plan. It is carried out next."
	if k.step.edited {
		text = "The user changed the plan and accepted it. It is carried out next, as they have it."
	}
	return tool.Result{Text: text, Ends: said.That("Plan accepted. Carrying it out now.")}, nil
}
