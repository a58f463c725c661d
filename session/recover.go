package session

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
)

// load reads the log, folds it, and closes what a process that died left open.
func (s *Session) load() error {
	t := newTranscript()
	log, err := openLog(s.deps.Disk, s.dir, t.apply)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.log, s.t = log, t
	s.children = len(dirNames(filepath.Join(s.dir, "sub")))
	s.mu.Unlock()
	if s.parent == nil {
		s.recoverChildren(t.children) // first: as long as they are open here, they are looked at again
	}
	if err := s.recover(); err != nil {
		return errors.Join(err, log.close())
	}
	return nil
}

// Interrupted is what the process before this one was doing when it died.
type Interrupted struct {
	RunID   string   `json:"runId"`
	CallIDs []string `json:"callIds"`
}

// recover closes every call without a result, every question, every sub-agent,
// and the run itself, each once (session §1). Nothing is run again.
func (s *Session) recover() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, run := s.t, ""
	if t.run != nil {
		run = t.run.id
	}
	var bodies []Body
	for _, a := range t.pending {
		bodies = append(bodies, ApprovalResolved{ApprovalID: a.ApprovalID, CallID: a.CallID, Decision: "restart", By: "restart"})
	}
	for _, c := range t.children {
		bodies = append(bodies, SubagentEnded{CallID: c.CallID, Path: c.Path, Status: "interrupted"})
	}
	for _, c := range t.open {
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
	if t.info.Mode != "full_access" || s.parent != nil {
		return nil
	}
	// Full access ends with the process that it was given in (control §4).
	mode := "agent"
	_ = s.writeAudit(control.AuditEntry{Mode: mode, Decision: "mode", By: "restart"}) // has been reported; nothing is widened
	return s.recordLocked("", Changed{Mode: &mode})
}

// recoverChildren closes the logs of sub-agents the same way. They are opened
// for that and for nothing else; one that cannot be read stays as it is.
func (s *Session) recoverChildren(open []SubagentStarted) {
	for _, c := range open {
		_, n, _ := strings.Cut(c.Path, "#")
		if !validID(n) {
			continue
		}
		child := s.childAt(n)
		child.deps = quiet(s.deps)
		err := child.load()
		if err == nil {
			err = child.log.close()
		}
		if err != nil {
			s.deps.Log.Warn().Err(err).Str("session", s.id).Str("agent", c.Path).Msg("the log of a sub-agent")
		}
	}
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
