package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/key"
)

// maker makes sessions.
type maker struct {
	*keys

	// making is held while a session is looked up by its key and made: two
	// prompts with a new key get one session. It is taken before the lock of the
	// folders; see alone.
	making sync.Mutex
}

// nextID takes the next number, which is never used again, and makes the
// session's folder: in a temporary place for an ephemeral one.
func (m *maker) nextID(ephemeral bool) (id, dir string, err error) {
	const mostNext = 64 // bytes
	next := filepath.Join(m.dir, "next")
	n := 1
	if raw, err := durable.ReadFile(next, mostNext); err == nil {
		if m, err := strconv.Atoi(strings.TrimSpace(string(raw))); err == nil && m > 0 {
			n = m
		}
	}
	for ; ; n++ {
		id = fmt.Sprintf("%04d", n)
		if m.copies != nil && !ephemeral {
			id = spreadID(time.Now(), n)
		}
		dir = filepath.Join(m.dir, id)
		if ephemeral {
			id = "e" + id
			dir, err = os.MkdirTemp("", ephemeralFolder)
		} else {
			err = m.deps.Disk.Mkdir(dir, 0o700)
		}
		switch {
		case err == nil:
			if err = m.deps.Disk.WriteFile(next, []byte(strconv.Itoa(n+1)+"\n"), 0o600); err != nil {
				err = errors.Join(err, m.deps.Disk.Remove(dir))
			}
			return id, dir, err
		case !errors.Is(err, fs.ErrExist):
			return "", "", err
		}
	}
}

// New makes a session, or returns the one that has the key already. One whose
// time is over gives its key to the new one.
func (m *maker) New(n session.NewSession) (s *session.Session, created bool, err error) {
	if n.Key == "" || n.Agent != "" || n.Mode != "" { // what a key says of its agent is checked when it is known to be new
		if err := n.Check(m.deps); err != nil {
			return nil, false, err
		}
	}
	done, err := m.alone()
	if err != nil {
		return nil, false, fmt.Errorf("make a session: %w", err)
	}
	defer done()
	if n.Key != "" {
		if s, err := m.forKey(&n); s != nil || err != nil {
			return s, false, err
		}
		if err := n.Check(m.deps); err != nil {
			return nil, false, err
		}
	}
	s, err = m.create(n)
	return s, err == nil, err
}

// alone lets one maker of sessions after the other work, in all processes, so
// that a key gets one session and an id is given once.
func (m *maker) alone() (done func(), err error) {
	m.making.Lock()
	err = m.deps.Disk.MkdirAll(m.dir, 0o700)
	var lock *durable.Lock
	if err == nil {
		lock, err = m.deps.Disk.Lock(filepath.Join(m.dir, "making"))
	}
	if err != nil {
		m.making.Unlock()
		return nil, err
	}
	return func() {
		_ = lock.Close() // the kernel lets it go in any case
		m.making.Unlock()
	}, nil
}

func (m *maker) create(n session.NewSession) (*session.Session, error) {
	id, dir, err := m.nextID(n.Ephemeral)
	if err != nil {
		return nil, fmt.Errorf("make a session: %w", err)
	}
	if n.Key == "" {
		n.Key = key.OfSession(id, m.deps.WorkspaceID, n.Agent)
	}
	s, err := session.Create(m.deps, id, dir, n)
	if err != nil { // nobody has heard of it
		return nil, errors.Join(err, m.deps.Disk.RemoveAll(dir))
	}
	m.opens(s)
	m.made(s)
	return s, nil
}

// made writes down that there is a session that outlives the process.
func (m *maker) made(s *session.Session) {
	if !s.Ephemeral() {
		m.written(s.ID())
	}
}

// written writes down that there is a session.
func (m *maker) written(id string) {
	if err := m.deps.Audits.AuditSessions().Made(m.deps.WorkspaceID, id); err != nil {
		m.deps.Log.Error().Err(err).Msg("audit: a session was made")
	}
}
