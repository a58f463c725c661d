package session

import (
	"os"
	"path/filepath"
)

// recover closes what a process that died left open: every call without a
// result, every question, every sub-agent, and the run itself, each once
// (session §1). Nothing is run again.
func (s *Session) recover() error {
	t := s.t
	if t.run == nil && len(t.pending) == 0 && len(t.open) == 0 && len(t.children) == 0 {
		return nil
	}
	run := ""
	if t.run != nil {
		run = t.run.id
	}
	s.interrupted = &Interrupted{RunID: run, CallIDs: []string{}}
	var bodies []Body
	for _, a := range t.pending {
		bodies = append(bodies, ApprovalResolved{ApprovalID: a.ApprovalID, CallID: a.CallID, Decision: "restart", By: "restart"})
	}
	for _, c := range t.children {
		bodies = append(bodies, SubagentEnded{CallID: c.CallID, Path: c.Path, Status: "interrupted"})
	}
	for _, c := range t.open {
		s.interrupted.CallIDs = append(s.interrupted.CallIDs, c.CallID)
		bodies = append(bodies, ToolReturned{CallID: c.CallID, Tool: c.Tool, Status: "interrupted", Text: "interrupted; outcome unknown"})
	}
	if t.run != nil {
		bodies = append(bodies, RunEnded{StopReason: "interrupted", Changes: []FileChange{}})
	}
	for _, b := range bodies {
		if err := s.recordLocked(run, b); err != nil {
			return err
		}
	}
	return s.recoverChildren()
}

// Interrupted is what the process before this one was doing when it died.
type Interrupted struct {
	RunID   string   `json:"runId"`
	CallIDs []string `json:"callIds"`
}

// recoverChildren closes the logs of sub-agents the same way. They are opened
// for that and for nothing else.
func (s *Session) recoverChildren() error {
	if s.parent != nil {
		return nil
	}
	for _, n := range dirNames(filepath.Join(s.dir, "sub")) {
		child := s.childAt(n)
		child.deps = quiet(s.deps)
		if err := child.load(); err != nil {
			s.deps.Log.Warn().Err(err).Str("session", s.id).Msg("sub-agent's log")
			continue
		}
		if err := child.log.close(); err != nil {
			return err
		}
	}
	return nil
}

// quiet is deps that tell nobody.
func quiet(d *Deps) *Deps {
	q := *d
	q.Notifier = nobodyListens{}
	return &q
}

type nobodyListens struct{}

func (nobodyListens) Event(Origin, Event)         {}
func (nobodyListens) Ephemeral(Origin, Ephemeral) {}

// load reads the log, folds it and closes what was left open.
func (s *Session) load() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := newTranscript()
	log, err := openLog(s.deps.Disk, s.dir, t.apply)
	if err != nil {
		return err
	}
	s.log, s.t = log, t
	s.children = len(dirNames(filepath.Join(s.dir, "sub")))
	return s.recover()
}

// dirNames lists the folders in dir, in order; none when it cannot be read.
func dirNames(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}
