package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

// childAtWork is a sub-agent that is at work.
type childAtWork struct {
	path    string
	call    string
	session *Session
	cancel  context.CancelCauseFunc
}

// Delegate runs a task as a session of its own: the same loop with the agent's
// tools, judged by its own policy and the parent's, streamed under the parent. It
// waits while as many sub-agents as may are at work. verify may be nil.
func (s *Session) Delegate(ctx context.Context, task Task, verify Verify) (Report, error) {
	if s.parent != nil {
		return Report{}, errors.New("a sub-agent cannot start another")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	child, err := s.spawn(ctx, cancel, task)
	if err != nil {
		return Report{}, err
	}
	path, run := child.calls.watchers.origin.AgentPath[0], s.LiveRun()
	defer s.children.reap(path)
	if err := s.journal.Append(run, history.SubagentStarted{Agent: task.Agent, CallID: task.CallID, Path: path, Prompt: cutEncoded(task.Prompt, maxInline)}); err != nil {
		return Report{}, errors.Join(err, child.shut())
	}
	if task.Begun != nil {
		task.Begun()
	}
	report, end := child.runTask(ctx, task)
	if verify != nil && !report.Failed {
		report.Text, report.Citations = verify(ctx, report.Text, child.sight(task.Agent))
	}
	report.Path = path
	end.CallID, end.Path, end.Citations = task.CallID, path, report.Citations
	return report, errors.Join(child.shut(), s.journal.Append(run, end))
}

// runTask is one run of a sub-agent, and what comes of it.
func (s *Session) runTask(ctx context.Context, task Task) (Report, history.SubagentEnded) {
	end := history.SubagentEnded{Status: history.StatusFailed}
	if err := s.introduceTo(task); err != nil {
		return Report{Failed: true, Text: err.Error()}, end
	}
	before := s.callCount()
	ended, err := s.Run(ctx, Prompt{Request: history.Request{Prompt: history.Text(task.Prompt), Agent: task.Agent, Model: task.Model, Limits: s.deps.shareOf(task)}})
	end.Usage, end.Calls = ended.Usage, s.callCount()-before
	report := Report{Failed: true, Changes: ended.Changes}
	switch {
	case err != nil:
		report.Text = err.Error()
		return report, end
	case ended.StopReason == history.StopCancelled:
		end.Status, report.Text = "cancelled", "the sub-agent was cancelled"
		return report, end
	case ended.StopReason == history.StopRefusal:
		report.Text = "the sub-agent failed: " + ended.Message.String()
		return report, end
	case ended.Error != nil:
		report.Text, report.Error = "the sub-agent failed: "+ended.Error.Message.String(), ended.Error
		return report, end
	}
	end.Status, report.Failed, report.Text = "completed", false, s.lastWords(ended)
	return report, end
}

// lastWords is the report of a run that has ended. One that ended with calls, or
// with nothing, is represented by what was said last.
func (s *Session) lastWords(ended Ended) string {
	text := ended.Text
	if strings.TrimSpace(text) == "" {
		text = "The sub-agent ended without a report."
		for _, i := range slices.Backward(journal.Read(s.journal, copied).Items) {
			if i.Prompt {
				break
			}
			if i.Answer != nil && strings.TrimSpace(i.Answer.Text) != "" {
				text += " The last thing it said: " + i.Answer.Text
				break
			}
		}
	}
	if !ended.Message.IsZero() {
		text += "\n\n[" + ended.Message.String() + "]"
	}
	return strings.TrimSpace(text)
}

// shareOf are the limits of a task: those that were set for it, and the part of
// its agent's turns that it is worth.
func (d *Deps) shareOf(task Task) *history.Limits {
	l := history.Limits{}
	if task.Limits != nil {
		l = *task.Limits
	}
	agent, _ := d.agent(task.Agent, "subagent")
	if most := smallest(int64(agent.MaxTurns), int64(d.Config.Settings().Subagents.MaxTurns)); task.Share > 0 && most > 0 {
		turns := int(max(1, most*int64(task.Share)/100))
		if l.MaxTurns == nil || *l.MaxTurns > turns {
			l.MaxTurns = &turns
		}
	}
	if l == (history.Limits{}) {
		return nil
	}
	return &l
}

// spawn makes the sub-agent as soon as there is room for it, or wakes the one that
// goes on.
func (s *Session) spawn(ctx context.Context, cancel context.CancelCauseFunc, task Task) (*Session, error) {
	child, err := s.place(ctx, cancel, task)
	switch {
	case err != nil:
		return nil, err
	case task.Resume != "":
		err = child.wake()
	default:
		err = child.journal.Create(child.deps.Disk, child.dir)
	}
	if err != nil {
		s.children.reap(child.calls.watchers.origin.AgentPath[0])
		return nil, err
	}
	return child, nil
}

// place gives a sub-agent its folder: that of the one that goes on, or sub/<n>, n
// counting up, with no name from a model in it.
func (s *Session) place(ctx context.Context, cancel context.CancelCauseFunc, task Task) (*Session, error) {
	x := s.journal.Begin()
	defer func() { x.End() }()
	for len(s.children.atWork) >= s.deps.Config.Settings().Subagents.Parallel {
		gone := s.children.gone
		x.End()
		select {
		case <-gone:
		case <-ctx.Done():
		}
		x = s.journal.Begin()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	path := task.Resume
	if path == "" {
		s.children.made++
		path = fmt.Sprintf("%s#%d", task.Agent, s.children.made)
	} else if err := s.children.resumable(x, task.Agent, path); err != nil { // another call was quicker
		return nil, err
	}
	child := s.childAt(path[strings.LastIndexByte(path, '#')+1:], history.Origin{Session: s.id, ParentCall: task.CallID, AgentPath: []string{path}})
	child.worker.env = s.root.place().environment() // it begins now
	s.children.atWork = append(s.children.atWork, childAtWork{path, task.CallID, child, cancel})
	return child, nil
}

// reap makes room for the next.
func (c *children) reap(path string) {
	x := c.journal.Begin()
	defer x.End()
	c.atWork = slices.DeleteFunc(c.atWork, func(c childAtWork) bool { return c.path == path })
	close(c.gone)
	c.gone = make(chan struct{})
}

// sight is how a sub-agent of that name sees files.
func (s *Session) sight(agent string) Sight {
	may := s.calls.authority.mayCite(agent)
	return Sight{
		Open:  func(path string) (io.ReadCloser, error) { return s.root.place().Files.Cited(path, may) },
		Shown: func(text string) string { return s.root.redactor.Redact(text, "") },
	}
}

func (s *Session) childAt(n string, origin history.Origin) *Session {
	return blank(s.deps, s.id+"."+n, filepath.Join(s.dir, history.ChildFolder, n), origin, s)
}

func (s *Session) callCount() int {
	return journal.Read(s.journal, func(t *history.Transcript) int { return len(t.CallIDs) })
}

// shut ends a sub-agent's jobs and lets go of its log.
func (s *Session) shut() error {
	s.root.place().Jobs.EndJobs(s.id)
	x := s.journal.Begin()
	defer x.End()
	err := x.CatchUp()
	s.writeInfo(x)
	return errors.Join(err, x.Close())
}
