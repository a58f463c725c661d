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
func (m *maker) Adopt(agent string, fill func(Place) error) (*session.Session, error) {
	n := session.NewSession{Agent: agent}
	if n.Check(m.deps) != nil { // an agent that is not here
		n = session.NewSession{}
		if err := n.Check(m.deps); err != nil {
			return nil, err
		}
	}
	done, err := m.alone()
	if err != nil {
		return nil, fmt.Errorf("make a session: %w", err)
	}
	id, dir, err := m.nextID(false)
	done() // the folder is nobody else's
	if err != nil {
		return nil, fmt.Errorf("make a session: %w", err)
	}
	err = fill(Place{id, dir, key.OfSession(id, m.deps.WorkspaceID, n.Agent), n.Agent})
	var s *session.Session
	if err == nil {
		s, err = m.Get(id)
	}
	if err != nil {
		return nil, errors.Join(err, m.deps.Here.Artifacts.RemoveSession(id), m.deps.Disk.RemoveAll(dir))
	}
	m.made(s)
	return s, nil
}
