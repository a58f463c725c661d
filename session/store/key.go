package store

import (
	"cmp"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/key"
)

// keyed is what a key leads to.
type keyed struct {
	id   string // the session that has it, "" for none
	last string // when something happened there last
	was  string // the newest one that had it and was reset, "" for none
}

// keys lead to sessions.
type keys struct{ *listing }

// byKey looks for a canonical key. Sessions of this process come first: of what
// is open here nothing is read.
func (k *keys) byKey(canonical string) (keyed, error) {
	if _, _, place := key.Parts(canonical); strings.HasPrefix(place, "session:") {
		return k.byOwnKey(canonical, strings.TrimPrefix(place, "session:"))
	}
	var found keyed
	for _, s := range k.Live() {
		if a := s.About(); a.SessionKey == canonical && a.State != "closed" && !a.Reset {
			found = keyed{id: s.ID(), last: a.UpdatedAt}
		}
	}
	if found.id != "" {
		return found, nil
	}
	all, err := k.abouts()
	if err != nil {
		return keyed{}, err
	}
	for _, a := range all {
		switch {
		case a.SessionKey != canonical || a.Parent != nil && a.Parent.CallID != "":
		case a.Reset && compareIDs(a.ID, found.was) > 0:
			found.was = a.ID
		case !a.Reset && a.State != "closed" && compareIDs(a.ID, found.id) > 0:
			found.id, found.last = a.ID, a.UpdatedAt
		}
	}
	return found, nil
}

// byOwnKey is the session that a key names by its id. None is made under such a
// key: it would have the name of another.
func (k *keys) byOwnKey(canonical, id string) (keyed, error) {
	w, _, _ := key.Parts(canonical)
	home, _, _ := key.Parts(key.OfSession(id, k.deps.WorkspaceID, "build"))
	if w != home || k.here(id) == nil && (!validID(id) || !history.Exists(filepath.Join(k.dir, id))) {
		return keyed{}, &session.NotFoundError{SessionID: id}
	}
	return keyed{id: id}, nil
}

// forKey is the session that a key leads to now, nil where one has to be made; n
// then says under which key, and after which other one. A session whose time is
// over is closed here.
func (k *keys) forKey(n *session.NewSession) (*session.Session, error) {
	canonical, err := key.Canonical(n.Key, k.deps.WorkspaceID, cmp.Or(n.Agent, "build"))
	if err != nil {
		return nil, &session.InvalidError{Field: "sessionKey", Reason: err.Error()}
	}
	_, agent, place := key.Parts(canonical)
	if key.Complete(n.Key) && n.Agent != "" && n.Agent != agent {
		return nil, &session.InvalidError{Field: "agent", Reason: "is not that of the key"}
	}
	found, err := k.byKey(canonical)
	if err != nil {
		return nil, err
	}
	n.Key = canonical
	n.Agent = agent
	if found.id == "" {
		if found.was != "" {
			n.Parent = &history.Parent{SessionID: found.was}
		}
		return nil, nil
	}
	due, err := k.due(n, agent, place, found.last)
	if err != nil {
		return nil, err
	}
	s, err := k.Get(found.id)
	if err != nil || !due {
		return s, err
	}
	switch retired, err := s.Retire(); {
	case err == nil && !retired && n.Reset:
		return nil, &session.BusyError{SessionID: found.id, RunID: s.NextRun()}
	case err != nil || !retired: // it is in use, so its time is not over
		return s, err
	}
	n.Parent = &history.Parent{SessionID: found.id}
	return nil, nil
}

// Find is the session that a key leads to, nil for none. Nothing is made or reset.
func (k *keys) Find(text, agent string) (*session.Session, error) {
	canonical, err := key.Canonical(text, k.deps.WorkspaceID, cmp.Or(agent, "build"))
	if err != nil {
		return nil, &session.InvalidError{Field: "sessionKey", Reason: err.Error()}
	}
	found, err := k.byKey(canonical)
	if err != nil || found.id == "" {
		return nil, err
	}
	return k.Get(found.id)
}

// due says whether the session of a key is to be reset before it is used again.
func (k *keys) due(n *session.NewSession, agent, place, last string) (bool, error) {
	policy := k.deps.ResetPolicy(agent)
	switch {
	case n.Reset && strings.HasPrefix(place, "session:"):
		return false, &session.InvalidError{Field: "reset", Reason: "a session that is named by its id has no key to give away"}
	case n.Reset && policy == "never":
		return false, &session.InvalidError{Field: "reset", Reason: "the reset policy is never (agents.runtime.memory.reset, or the agent's own)"}
	case n.Reset || strings.HasPrefix(place, "session:"):
		return n.Reset, nil
	}
	at, err := history.ParseStamp(last)
	return err == nil && session.ResetDue(policy, at, time.Now()), nil
}

// SameKey says whether a key, in whatever form, is that of the session.
func (k *keys) SameKey(s *session.Session, text string) (bool, error) {
	info := s.Info()
	_, agent, _ := key.Parts(info.SessionKey)
	canonical, err := key.Canonical(text, k.deps.WorkspaceID, agent)
	if err != nil {
		return false, &session.InvalidError{Field: "sessionKey", Reason: err.Error()}
	}
	return canonical == info.SessionKey, nil
}
