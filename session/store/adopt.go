package store

import (
	"errors"
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/key"
)

// Place is where a new session is made out of a log that did not grow here.
type Place struct {
	ID    string
	Dir   string // its folder, empty
	Key   string // canonical
	Agent string // the wanted one, else build
}

// Adopt makes a new session out of a log from elsewhere: fill writes it into the
// folder of its place, events.jsonl last. Nothing is left where fill fails or the
// log cannot be opened.
func (st *Store) Adopt(agent string, fill func(Place) error) (*session.Session, error) {
	n := session.NewSession{Agent: agent}
	if n.Check(st.deps) != nil { // an agent that is not here
		n = session.NewSession{}
		if err := n.Check(st.deps); err != nil {
			return nil, err
		}
	}
	done, err := st.alone()
	if err != nil {
		return nil, fmt.Errorf("make a session: %w", err)
	}
	id, dir, err := st.nextID(false)
	done() // the folder is nobody else's
	if err != nil {
		return nil, fmt.Errorf("make a session: %w", err)
	}
	err = fill(Place{id, dir, key.OfSession(id, st.deps.WorkspaceID, n.Agent), n.Agent})
	var s *session.Session
	if err == nil {
		s, err = st.Get(id)
	}
	if err != nil {
		return nil, errors.Join(err, st.deps.Artifacts.RemoveSession(id), st.deps.Disk.RemoveAll(dir))
	}
	st.made(s)
	return s, nil
}

// Folder is where the log of a session lies, whoever works on it: it is for those
// who only read.
func (st *Store) Folder(id string) (string, error) {
	dir, _, err := st.folderOf(id)
	return dir, err
}
