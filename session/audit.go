package session

import (
	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// auditor writes down what was decided in a session.
type auditor struct {
	*watchers
	deps *Deps
}

// mode writes down that the mode is another one now. Full access that
// cannot be written down is not given.
func (u *auditor) mode(mode tool.Mode) error {
	return u.write(audit.Entry{Mode: mode, Decision: "mode", By: "client"})
}

func (u *auditor) write(e audit.Entry) error {
	e.SessionID, e.AgentPath = u.root.id, u.origin.AgentPath
	e.Runner = u.root.place().Runner
	_, err := u.deps.Audits.Audit(e.SessionID).Append(placeholder.Redacted(u.root.redactor, e))
	if err != nil {
		u.deps.Log.Error().Err(err).Msg("audit cannot be written")
	}
	return err
}
