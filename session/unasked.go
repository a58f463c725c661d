package session

import (
	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/text"
)

// tellUnasked shows, once in a workspace, that commands run without a question, and how
// that is turned off.
func (s *Session) tellUnasked(r *run) {
	root := s.root()
	root.mu.Lock()
	told := root.toldUnasked
	root.toldUnasked = true
	root.mu.Unlock()
	if !told && config.TellOnce(s.deps.Disk, s.deps.Home, s.deps.WorkspaceID, "sandbox_unasked") {
		s.show(r.id, "notice", noticeSaying("info", "sandbox_unasked", text.SandboxUnasked.With()))
	}
}

// inSandbox notes in an allowed call that it is allowed because the sandbox keeps it: it
// runs there or not at all.
func (s *Session) inSandbox(r *run, j *step) {
	if j.word.by != control.BySandbox {
		return
	}
	j.plan.Boxed = true
	s.tellUnasked(r)
}
