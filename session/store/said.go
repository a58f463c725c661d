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

// Said is the session that took a client's message before, nil for a new one.
func (st *Store) Said(message string) (*session.Session, error) {
	if message == "" {
		return nil, nil
	}
	st.mu.Lock()
	st.hearLocked()
	id, known := st.said[message]
	st.mu.Unlock()
	if !known {
		return nil, nil
	}
	s, err := st.Get(id)
	if errors.As(err, new(*session.NotFoundError)) {
		return nil, nil
	}
	return s, err
}

// Say remembers that a session took a client's message.
func (st *Store) Say(message, id string) error {
	if message == "" {
		return nil
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.hearLocked()
	if st.said[message] == id {
		return nil
	}
	st.said[message] = id
	if !validID(id) {
		return nil // ephemeral: nothing of it outlives the process
	}
	line, err := json.Marshal(saidLine{message, id})
	if err != nil {
		return err
	}
	return st.keepSaid(line)
}

// keepSaid makes a line last before the prompt is taken: a message whose session is
// forgotten would be taken by another one. Another process may write at the same
// time: then it is tried again.
func (st *Store) keepSaid(line []byte) error {
	for tries := 0; ; tries++ {
		log, err := st.deps.Disk.OpenLog(filepath.Join(st.dir, "messages.jsonl"))
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
func (st *Store) hearLocked() {
	path := filepath.Join(st.dir, "messages.jsonl")
	if fi, err := os.Stat(path); err != nil || fi.Size() == st.heard {
		return
	}
	next, err := durable.ReadFrom(path, st.heard, func(raw []byte, _ int64) bool {
		var l saidLine
		if json.Unmarshal(raw, &l) == nil {
			st.said[l.Message] = l.Session
		}
		return true
	})
	if err == nil {
		st.heard = next
	}
}
