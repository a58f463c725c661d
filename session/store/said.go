package store

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session"
)

// saidLine is one line of messages.jsonl: which session took which message of a
// client, so that a message sent twice is answered once, also after a restart.
type saidLine struct {
	Message string `json:"clientMessageId"`
	Session string `json:"sessionId"`
}

// messages are those of clients, by the session that took them. The lock of the folders
// guards them.
type messages struct {
	*folders
	said  map[string]string // clientMessageId → session, as far as it is read
	heard int64             // how much of messages.jsonl that is, in bytes
}

// Said is the session that took a client's message before, nil for a new one.
func (m *messages) Said(message string) (*session.Session, error) {
	if message == "" {
		return nil, nil
	}
	m.mu.Lock()
	m.hearLocked()
	id, known := m.said[message]
	m.mu.Unlock()
	if !known {
		return nil, nil
	}
	s, err := m.Get(id)
	if errors.As(err, new(*session.NotFoundError)) {
		return nil, nil
	}
	return s, err
}

// Say remembers that a session took a client's message.
func (m *messages) Say(message, id string) error {
	if message == "" {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hearLocked()
	if m.said[message] == id {
		return nil
	}
	m.said[message] = id
	if !validID(id) {
		return nil // ephemeral: nothing of it outlives the process
	}
	line, err := json.Marshal(saidLine{message, id})
	if err != nil {
		return err
	}
	return m.keepSaid(line)
}

// keepSaid makes a line last before the prompt is taken: a message whose session is
// forgotten would be taken by another one. Another process may write at the same
// time: then it is tried again.
func (m *messages) keepSaid(line []byte) error {
	for tries := 0; ; tries++ {
		log, err := m.deps.Disk.OpenLog(filepath.Join(m.dir, "messages.jsonl"))
		if err != nil {
			return err
		}
		if _, err = log.Append(line); err == nil {
			err = log.Sync()
		}
		err = errors.Join(err, log.Close())
		if tries == 3 || !errors.Is(err, durable.ErrForeign) {
			return err
		}
	}
}

// hearLocked reads what was said since, here or in other processes. A torn line is
// a message that will be taken again.
func (m *messages) hearLocked() {
	path := filepath.Join(m.dir, "messages.jsonl")
	if fi, err := os.Stat(path); err != nil || fi.Size() == m.heard {
		return
	}
	next, err := durable.ReadFrom(path, m.heard, func(raw []byte, _ int64) bool {
		var l saidLine
		if json.Unmarshal(raw, &l) == nil {
			m.said[l.Message] = l.Session
		}
		return true
	})
	if err == nil {
		m.heard = next
	}
}
