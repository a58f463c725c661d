package session

import (
	"context"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// LocalOnly is the state of a session that is copied nowhere.
const LocalOnly = "local_only"

func (d *Deps) syncState(id string) string {
	if d.SyncState == nil {
		return LocalOnly
	}
	return d.SyncState(id)
}

// SyncChange is what is shown when the state of a session's copy changes.
type SyncChange struct {
	SyncState string `json:"syncState"`
	// Fork is the session that has the lines which were here. Those of the server have taken
	// their place now.
	Fork string `json:"fork,omitempty"`
}

// ShowSync says how the copy of the session is now.
func (s *Session) ShowSync(change SyncChange) {
	x := s.journal.Begin()
	defer x.End()
	s.worker.watchers.to.Ephemeral(s.worker.watchers.origin, history.Ephemeral{Type: SyncChangeType, After: x.Published(), Data: change})
}

// SyncChangeType is the type of the event that has a SyncChange.
const SyncChangeType = "session.sync"

// Arrive says in the log that the session goes on here and not where it was. What was allowed
// for the session, and full access, stay there.
func (s *Session) Arrive() error {
	moved := true
	return s.journal.Append("", history.Changed{Moved: &moved})
}

// CloseAtRest closes the session, unless something runs or waits in it.
func (s *Session) CloseAtRest(ctx context.Context) (closed bool, err error) {
	x := s.journal.Begin()
	if s.live != nil || s.undoing != "" || len(x.State.Queue) > 0 || x.State.Waits() {
		x.End()
		return false, nil
	}
	s.closing = true
	x.End()
	return true, s.Close(ctx)
}
