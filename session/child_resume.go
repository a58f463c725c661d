package session

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

// resumable says why a sub-agent cannot go on, nil if it can. Only one of this session can, however it ended, also one of an earlier
// process; and only as the agent that it was.
func (c *children) resumable(x *journal.Txn, agent, path string) error {
	name, n, _ := strings.Cut(path, "#")
	switch {
	case slices.ContainsFunc(c.atWork, func(c childAtWork) bool { return c.path == path }):
		return fmt.Errorf("the sub-agent %s is still at work: wait for its report", path)
	case !slices.Contains(x.State.Ended, path):
		return unknownChild(path, x.State.Ended)
	case name != agent:
		return fmt.Errorf("%s was sent as %q: resume it with agent=%q, or send a new one without resumeId", path, name, name)
	case !history.Exists(filepath.Join(c.dir, history.ChildFolder, n)):
		return fmt.Errorf("what %s knew is gone: send a new one without resumeId", path)
	}
	return nil
}

// mostNamed bounds how many sub-agents an error lists, the latest.
const mostNamed = 10

func unknownChild(path string, ended []string) error {
	if len(ended) == 0 {
		return fmt.Errorf("there is no sub-agent %q to resume: none has ended yet; send a new one without resumeId", control.Title(path, 80))
	}
	return fmt.Errorf("there is no sub-agent %q to resume; there are: %s", control.Title(path, 80), strings.Join(ended[max(0, len(ended)-mostNamed):], ", "))
}

// wake reads what a sub-agent knew. What its log leaves open is closed without
// a word: it happened in another process.
func (s *Session) wake() error {
	if err := s.calls.watchers.unheard(s.load); err != nil {
		return fmt.Errorf("%s cannot be resumed: %w", s.calls.watchers.origin.AgentPath[0], err)
	}
	return nil
}

// introduceTo writes the first line of a new sub-agent's log; of one that goes on,
// the model of its parent where that is another one now.
func (s *Session) introduceTo(task Task) error {
	of := s.parent.Info()
	x := s.parent.journal.Begin()
	if r := s.parent.live; r != nil {
		of.Model = r.chosen.Model // a run does not move, and its sub-agents are part of it
	}
	x.End()
	switch had := s.Info().Model; {
	case task.Resume == "":
		return s.journal.Append("", history.Opened{Version: history.Version, Key: of.SessionKey, WorkspaceURI: s.deps.WorkspaceURI, Agent: task.Agent, Mode: of.Mode,
			RuntimeMode: "local", Model: of.Model, Parent: &history.Parent{SessionID: s.parent.id, CallID: task.CallID}})
	case had != of.Model:
		return s.journal.Append("", history.Changed{Model: &of.Model})
	}
	return nil
}

// resumeNote tells anyone who sent a sub-agent how to ask it more.
func resumeNote(agent, path string) string {
	return fmt.Sprintf("(To ask it more: task(agent=%q, resumeId=%q, prompt=\"…\"))", agent, path)
}
