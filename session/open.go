package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/durable"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// NewSession is how a session begins (protocol §3 agent/session/new).
type NewSession struct {
	Key       string // canonical; short forms are the store's to complete
	Title     string
	Agent     string
	Model     string
	Mode      string
	Ephemeral bool
}

// Check fills in what is not said and refuses what cannot begin.
func (n *NewSession) Check(deps *Deps) error {
	if n.Agent == "" {
		n.Agent = "build"
	}
	agent, ok := deps.agent(n.Agent, "primary")
	switch {
	case n.Mode == "full_access":
		return &ConfirmError{"confirm", "full access is given with agent/session/update and confirm: true"}
	case n.Mode != "" && n.Mode != "agent":
		return &InvalidError{"mode", fmt.Sprintf("%q is neither agent nor full_access", n.Mode)}
	case !ok:
		return &InvalidError{"agent", fmt.Sprintf("there is no agent %q", n.Agent)}
	case n.Model != "" && !agent.MayUse(n.Model):
		return &InvalidError{"model", notAllowed(agent, n.Model)}
	}
	return nil
}

// Create begins a session in a folder that nobody else has; n has been checked.
// It is not kept where its first line cannot be written.
func Create(deps *Deps, id, dir string, n NewSession) (*Session, error) {
	s := blank(deps, id, dir)
	var err error
	if s.lock, err = Lock(deps, id, dir); err != nil {
		return nil, err
	}
	if s.log, err = history.Create(deps.Disk, dir); err != nil {
		return nil, errors.Join(err, s.lock.Close())
	}
	s.t = history.NewTranscript()
	s.mu.Lock()
	defer s.mu.Unlock()
	opened := history.Opened{Version: 1, Key: n.Key, WorkspaceURI: deps.WorkspaceURI, Agent: n.Agent, Mode: "agent", RuntimeMode: "local",
		Model: n.Model, Title: history.Clean(n.Title), Ephemeral: n.Ephemeral}
	if err := s.offerLocked("", opened); err != nil {
		return nil, errors.Join(err, s.log.Close(), s.lock.Close())
	}
	s.writeInfo()
	return s, nil
}

// Open reads what an earlier process left in a folder and closes what it left
// open. A log that another process works on is a LockedError.
func Open(deps *Deps, id, dir string) (*Session, error) {
	s := blank(deps, id, dir)
	var err error
	if s.lock, err = Lock(deps, id, dir); err != nil {
		return nil, err
	}
	s.deps = quiet(deps) // what is closed now is read from the log by whoever resumes
	if err := s.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("open session %s: %w", id, err), s.lock.Close())
	}
	s.deps = deps
	return s, nil
}

// Glance is a session to look at and for nothing else: what its log says now,
// read without opening or mending it. Without an id it is one that has not begun.
func Glance(deps *Deps, id, dir string) *Session {
	s := blank(deps, id, dir)
	s.t = history.NewTranscript()
	if id == "" {
		s.t.Info.Agent = "build"
		return s
	}
	_ = history.Read(dir).Each(1, s.t.Apply) // a torn tail is not this reader's to mend
	return s
}

// Lock takes a session's folder for this process, or says who has it.
func Lock(deps *Deps, id, dir string) (*durable.Lock, error) {
	lock, err := deps.Disk.TryLock(filepath.Join(dir, "lock"))
	var held durable.ErrLocked
	if errors.As(err, &held) {
		return nil, &LockedError{id, held.PID}
	}
	return lock, err
}

func blank(deps *Deps, id, dir string) *Session {
	s := &Session{deps: deps, id: id, dir: dir, origin: history.Origin{Session: id},
		changed: make(chan struct{}), kidGone: make(chan struct{}), promises: map[string]*promise{}, stops: map[string]context.CancelCauseFunc{}}
	if deps.Environment != nil {
		s.env = deps.Environment()
	}
	return s
}
