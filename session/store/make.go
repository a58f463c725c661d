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

// nextID takes the next number, which is never used again, in no workspace of this home, and
// makes the session's folder: in a temporary place for an ephemeral one.
func (m *maker) nextID(ephemeral bool) (id, dir string, err error) {
	for {
		n, err := m.nextNumber()
		if err != nil {
			return "", "", err
		}
		id = fmt.Sprintf("%04d", n)
		if m.copies != nil && !ephemeral {
			id = spreadID(time.Now(), n)
		}
		if ephemeral {
			dir, err = os.MkdirTemp("", ephemeralFolder)
			return "e" + id, dir, err
		}
		dir = filepath.Join(m.dir, id)
		if err = m.deps.Disk.Mkdir(dir, 0o700); !errors.Is(err, fs.ErrExist) {
			return id, dir, err
		}
	}
}

// nextNumber counts the sessions of the home.
func (m *maker) nextNumber() (n int, err error) {
	all := filepath.Dir(m.dir)
	lock, err := m.deps.Disk.Lock(filepath.Join(all, "making"))
	if err != nil {
		return 0, err
	}
	defer lock.Close()
	next := filepath.Join(all, "next")
	if n = numberIn(next); n == 0 { // each workspace counted its own before there was this file
		older, err := os.ReadDir(all)
		if err != nil {
			return 0, err
		}
		n = 1
		for _, workspace := range older {
			n = max(n, numberIn(filepath.Join(all, workspace.Name(), "next")))
		}
	}
	return n, m.deps.Disk.WriteFile(next, []byte(strconv.Itoa(n+1)+"\n"), 0o600)
}

// numberIn is the number in a file, 0 where there is none.
func numberIn(path string) int {
	const most = 64 // bytes
	raw, err := durable.ReadFile(path, most)
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil || n < 1 {
		return 0
	}
	return n
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
