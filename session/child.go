package session

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/agent-sidecar/agent-sidecar/control"
)

// kid is a sub-agent that is at work.
type kid struct {
	path   string
	call   string
	cancel context.CancelCauseFunc
}

// mostKids bounds the sub-agents that work at once (control §9).
const mostKids = 4

// Delegate runs a task as a session of its own: the same loop with the agent's
// tools, judged by its own policy and the parent's, streamed under the parent
// (control §9). It returns the sub-agent's last words and what it used. verify,
// where given, may correct the words and count citations before they are
// recorded.
func (s *Session) Delegate(ctx context.Context, task Task, limits *Limits, verify func(text string) (string, *Citations)) (Report, error) {
	if s.parent != nil {
		return Report{}, fmt.Errorf("a sub-agent cannot start another")
	}
	child, err := s.newChild(task)
	if err != nil {
		return Report{}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	path := child.origin.AgentPath[0]
	run := s.LiveRun()
	if err := s.record(run, SubagentStarted{task.Agent, task.CallID, path, cutText(task.Prompt, maxInline)}); err != nil {
		return Report{}, err
	}
	if err := child.record("", child.opening(task)); err != nil {
		return Report{}, err
	}
	s.adopt(kid{path, task.CallID, cancel})
	defer s.dismiss(path)
	ended, err := child.Run(ctx, Prompt{Blocks: Text(task.Prompt), Agent: task.Agent, Limits: limits})
	report := Report{Text: ended.Text}
	status := "completed"
	switch {
	case err != nil:
		status, report.Failed, report.Text = "failed", true, err.Error()
	case ended.StopReason == "cancelled":
		status, report.Failed, report.Text = "cancelled", true, "the sub-agent was cancelled"
	case ended.Error != nil:
		status, report.Failed, report.Text = "failed", true, fmt.Sprintf("the sub-agent failed: %s", ended.Error.Message)
	}
	if verify != nil && !report.Failed {
		report.Text, report.Citations = verify(report.Text)
	}
	end := SubagentEnded{CallID: task.CallID, Path: path, Status: status, Usage: ended.Usage, Calls: child.callCount(), Citations: report.Citations}
	if err := s.record(run, end); err != nil {
		return Report{}, err
	}
	return report, child.shut()
}

// newChild makes the sub-agent's folder and log: sub/<n>, n counting up, with no
// name from a model in it (ruling 83).
func (s *Session) newChild(task Task) (*Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kids) >= mostKids {
		return nil, fmt.Errorf("%d sub-agents are at work already; wait for one", mostKids)
	}
	s.children++
	child := s.childAt(strconv.Itoa(s.children))
	child.origin.ParentCall = task.CallID
	child.origin.AgentPath = []string{fmt.Sprintf("%s#%d", task.Agent, s.children)}
	child.env = s.env
	child.t = newTranscript()
	var err error
	child.log, err = createLog(s.deps.Disk, child.dir)
	return child, err
}

// ownDirs are where this session may read although it is not the Vault: its own
// artifacts and transcripts (ruling 66).
func (s *Session) ownDirs() []string {
	return append(s.deps.Artifacts.ArtifactDirs(s.root().id), filepath.Join(s.root().dir, "transcripts"))
}

// opening is the first line of a sub-agent's log.
func (s *Session) opening(task Task) Opened {
	of := s.parent.Info()
	return Opened{Version: 1, Key: of.SessionKey, WorkspaceURI: s.deps.WorkspaceURI, Agent: task.Agent, Mode: of.Mode,
		RuntimeMode: "local", Model: of.Model, Parent: &Parent{SessionID: s.parent.id, CallID: task.CallID}}
}

func (s *Session) childAt(n string) *Session {
	return &Session{
		deps: s.deps, id: s.id + "." + n, dir: filepath.Join(s.dir, "sub", n), parent: s, locks: s.locks,
		origin: Origin{Session: s.id}, changed: make(chan struct{}), promises: map[string]*promise{}, stops: map[string]context.CancelCauseFunc{},
	}
}

func (s *Session) adopt(k kid) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kids = append(s.kids, k)
}

func (s *Session) dismiss(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kids = slices.DeleteFunc(s.kids, func(k kid) bool { return k.path == path })
}

func (s *Session) callCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.t.callIDs)
}

// shut lets go of a sub-agent's log.
func (s *Session) shut() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.log.close()
}

// liveAgent is the agent of the run that is worked on.
func (s *Session) liveAgent() control.Agent {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil {
		return control.Agent{}
	}
	return s.live.agent
}

func (s *Session) liveClock() *clock {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil {
		return nil
	}
	return s.live.clock
}
