package session

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// load reads the log, folds it, and closes what a process that died left open.
func (s *Session) load() error {
	if err := s.journal.Open(s.deps.Disk, s.dir); err != nil {
		return err
	}
	x := s.journal.Begin()
	s.children.made = lastChild(filepath.Join(s.dir, history.ChildFolder))
	open, sent := x.State.Children, x.State.Sent
	runner := x.State.Info.Runner
	x.End()
	var spent map[string]history.Usage
	if s.parent == nil {
		_ = s.root.settle(s.deps, runner)     // a runner that is gone is an error of the next run
		spent = s.recoverChildren(open, sent) // first: as long as they are open here, they are looked at again
	}
	x = s.journal.Begin()
	defer x.End()
	if err := (recovery{s.deps, s.id, s.root, s.calls.auditor, s.parent != nil, spent}).run(x); err != nil {
		return errors.Join(err, x.Close())
	}
	return nil
}

// recovery closes what a process that died left open in a session.
type recovery struct {
	deps    *Deps
	id      string // of the session
	root    *root
	auditor *auditor
	sent    bool                     // the session is a sub-agent's
	spent   map[string]history.Usage // by its sub-agents that were at work, by their paths
}

// run closes every call without a result, every question, every sub-agent,
// and the run itself, each once. Nothing is run again.
func (c recovery) run(x *journal.Txn) error {
	t, run := x.State, ""
	if t.Run != nil {
		run = t.Run.ID
	}
	var bodies []history.Body
	for _, a := range t.Pending {
		bodies = append(bodies, history.ApprovalResolved{ApprovalID: a.ApprovalID, CallID: a.CallID, Decision: "restart", By: "restart"})
	}
	for _, q := range t.Asked {
		bodies = append(bodies, history.QuestionAnswered{QuestionID: q.QuestionID, CallID: q.CallID, Answers: []history.QuestionAnswer{}, By: "restart"})
	}
	for _, child := range t.Children {
		bodies = append(bodies, history.SubagentEnded{CallID: child.CallID, Path: child.Path, Status: history.StatusInterrupted, Usage: c.spent[child.Path]})
	}
	closing, changes := c.closeLost(t)
	bodies = append(bodies, closing...)
	if t.Run != nil {
		bodies = append(bodies, history.RunEnded{StopReason: history.StopInterrupted, Usage: t.Run.Usage, Changes: changes})
	}
	for _, b := range bodies {
		if err := x.Append(run, b); err != nil {
			return err
		}
	}
	if t.Info.Mode != tool.ModeFullAccess || c.sent {
		return nil
	}
	// Full access ends with the process that it was given in.
	mode := t.Otherwise()
	_ = c.auditor.write(audit.Entry{Mode: mode, Decision: "mode", By: "restart"}) // has been reported; nothing is widened
	c.root.said.lostFull.Store(true)
	return x.Append("", history.Changed{Mode: &mode})
}

// closeLost gives open calls their results, and before these what the calls had
// changed, where that is known.
func (c recovery) closeLost(t *history.Transcript) (bodies []history.Body, changes []history.FileChange) {
	changes = []history.FileChange{}
	for _, b := range t.CloseCalls("interrupted", "interrupted; outcome unknown") {
		end, is := b.(history.ToolReturned)
		if !is {
			bodies = append(bodies, b)
			continue
		}
		c.deps.Accepted.Doubt() // what the call did behind the last look, nobody has seen
		var lost []tool.Change
		lost, end.Followed = c.root.place().Files.LostChanges(c.id, end.CallID)
		for _, change := range lost {
			change.Runner = c.root.place().Runner
			bodies = append(bodies, fileChanged(end.CallID, change))
			if !change.Directory {
				end.Changes = append(end.Changes, fileChange(end.CallID, change))
			}
		}
		changes = append(changes, end.Changes...)
		end.Changes = boundChanges(end.Changes, maxChanges)
		bodies = append(bodies, end)
	}
	return bodies, boundChanges(changes, maxEncoded/2)
}

// hearOfLost records what calls have changed in a place that could not be asked when they were
// closed.
func (s *Session) hearOfLost(r *run, place *Place) error {
	if s.root.placement.heard.Swap(true) {
		return nil
	}
	deeds, err := history.Deeds(r.ctx, s.dir, s.Seq())
	if err != nil {
		return err
	}
	for _, d := range deeds {
		if d.Lost == "" || !d.Own {
			continue
		}
		changes, _ := place.Files.LostChanges(s.id, d.Call)
		for _, change := range changes {
			change.Runner = place.Runner
			if err := s.journal.Append(r.id, fileChanged(d.Call, change)); err != nil {
				return err
			}
		}
	}
	return nil
}

// recoverChildren closes the logs of sub-agents the same way. They are opened
// for that and for nothing else; one that cannot be read stays as it is. It gives what
// each has spent since it was sent.
func (s *Session) recoverChildren(open []history.SubagentStarted, sent history.Sent) map[string]history.Usage {
	spent := map[string]history.Usage{}
	for _, c := range open {
		_, n, _ := strings.Cut(c.Path, "#")
		if _, err := strconv.Atoi(n); err != nil {
			continue
		}
		child := s.childAt(n, history.Origin{Session: s.id})
		err := child.calls.watchers.unheard(child.load)
		if err == nil {
			x := child.journal.Begin()
			if last := x.State.Last; sent.Call(c.Path, last.After) == c.CallID {
				spent[c.Path] = last.Usage
			}
			err = x.Close()
			x.End()
		}
		if err != nil {
			s.deps.Log.Warn().Err(err).Str("session", s.id).Str("agent", c.Path).Msg("the log of a sub-agent")
		}
	}
	return spent
}

// lastChild is the highest number of a sub-agent's folder; a fork may lack some.
func lastChild(dir string) int {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	last := 0
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && e.IsDir() {
			last = max(last, n)
		}
	}
	return last
}
