package store

import (
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Preview says what a session would be sent next, "" for one that has not begun.
// No session is opened or made, and nothing is written.
func (st *Store) Preview(id string, look session.Look) (session.Preview, error) {
	dir := filepath.Join(st.dir, id)
	if id != "" && (!validID(id) || !history.Exists(dir)) {
		return session.Preview{}, &session.NotFoundError{SessionID: id}
	}
	return session.PreviewOf(st.deps, id, dir, look)
}
