package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// kid is a sub-agent that is at work.
type kid struct {
	path    string
	call    string
	session *Session
	cancel  context.CancelCauseFunc
}

// Delegate runs a task as a session of its own: the same loop with the agent's
// tools, judged by its own policy and the parent's, streamed under the parent
// (control §9). It waits while as many sub-agents as may are at work. verify,
// where given, may correct the sub-agent's last words and count citations before
// they are recorded.
func (s *Session) Delegate(ctx context.Context, task Task, verify func(text string) (string, *history.Citations)) (Report, error) {
	if s.parent != nil {
		return Report{}, errors.New("a sub-agent cannot start another")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	child, err := s.adopt(ctx, cancel, task)
	if err != nil {
		return Report{}, err
	}
	path, run := child.origin.AgentPath[0], s.LiveRun()
	defer s.dismiss(path)
	if err := s.record(run, history.SubagentStarted{Agent: task.Agent, CallID: task.CallID, Path: path, Prompt: cutEncoded(task.Prompt, maxInline)}); err != nil {
		return Report{}, errors.Join(err, child.shut())
	}
	if task.Begun != nil {
		task.Begun()
	}
	report, end := child.carryOut(ctx, task)
	if verify != nil && !report.Failed {
		report.Text, report.Citations = verify(report.Text)
	}
	end.CallID, end.Path, end.Citations = task.CallID, path, report.Citations
	return report, errors.Join(child.shut(), s.record(run, end))
}

// carryOut is the whole life of a sub-agent: its log is opened, its one run works
// until it ends.
func (s *Session) carryOut(ctx context.Context, task Task) (Report, history.SubagentEnded) {
	end := history.SubagentEnded{Status: "failed"}
	if err := s.record("", s.opening(task)); err != nil {
		return Report{Failed: true, Text: err.Error()}, end
	}
	ended, err := s.Run(ctx, Prompt{Blocks: history.Text(task.Prompt), Agent: task.Agent})
	end.Usage, end.Calls = ended.Usage, s.callCount()
	switch {
	case err != nil:
		return Report{Failed: true, Text: err.Error()}, end
	case ended.StopReason == "cancelled":
		end.Status = "cancelled"
		return Report{Failed: true, Text: "the sub-agent was cancelled"}, end
	case ended.Error != nil:
		return Report{Failed: true, Text: "the sub-agent failed: " + ended.Error.Message}, end
	}
	end.Status = "completed"
	text := ended.Text
	if ended.Message != "" {
		text = strings.TrimSpace(text + "\n\n[" + ended.Message + "]")
	}
	return Report{Text: text}, end
}

// adopt makes the sub-agent as soon as there is room for it: sub/<n>, n counting
// up, with no name from a model in it (ruling 83).
func (s *Session) adopt(ctx context.Context, cancel context.CancelCauseFunc, task Task) (*Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.kids) >= s.deps.Config.Settings().Subagents.Parallel {
		gone := s.kidGone
		s.mu.Unlock()
		select {
		case <-gone:
		case <-ctx.Done():
		}
		s.mu.Lock()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	s.children++
	child := s.childAt(strconv.Itoa(s.children))
	child.origin.ParentCall = task.CallID
	child.origin.AgentPath = []string{fmt.Sprintf("%s#%d", task.Agent, s.children)}
	child.env = s.deps.environment() // it begins now
	child.t = history.NewTranscript()
	var err error
	if child.log, err = history.Create(s.deps.Disk, child.dir); err != nil {
		return nil, err
	}
	s.kids = append(s.kids, kid{child.origin.AgentPath[0], task.CallID, child, cancel})
	return child, nil
}

// dismiss makes room for the next.
func (s *Session) dismiss(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kids = slices.DeleteFunc(s.kids, func(k kid) bool { return k.path == path })
	close(s.kidGone)
	s.kidGone = make(chan struct{})
}

// opening is the first line of a sub-agent's log.
func (s *Session) opening(task Task) history.Opened {
	of := s.parent.Info()
	s.parent.mu.Lock()
	if r := s.parent.live; r != nil {
		of.Model = r.chosen.Model // a run does not move, and its sub-agents are part of it
	}
	s.parent.mu.Unlock()
	return history.Opened{Version: history.Version, Key: of.SessionKey, WorkspaceURI: s.deps.WorkspaceURI, Agent: task.Agent, Mode: of.Mode,
		RuntimeMode: "local", Model: of.Model, Parent: &history.Parent{SessionID: s.parent.id, CallID: task.CallID}}
}

func (s *Session) childAt(n string) *Session {
	child := blank(s.deps, s.id+"."+n, filepath.Join(s.dir, history.ChildFolder, n))
	child.parent, child.origin.Session = s, s.id
	return child
}

func (s *Session) callCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.t.CallIDs)
}

// shut ends a sub-agent's jobs and lets go of its log.
func (s *Session) shut() error {
	s.endJobs()
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.catchUpLocked()
	s.writeInfo()
	s.closed = true
	return errors.Join(err, s.log.Close())
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
