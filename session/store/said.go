package store

import (
	"encoding/json"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/durable"
	"github.com/agent-sidecar/agent-sidecar/session"
)

// saidLine is one line of messages.jsonl: which session took which message of a
// client, so that a message sent twice is answered once, also after a restart
// (ruling 17).
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
	st.readSaidLocked()
	id, known := st.said[message]
	st.mu.Unlock()
	if !known {
		return nil, nil
	}
	s, err := st.Get(id)
	if _, gone := err.(*session.NotFoundError); gone {
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
	st.readSaidLocked()
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
	log, err := st.deps.Disk.OpenLog(filepath.Join(st.dir, "messages.jsonl"))
	if err != nil {
		return err
	}
	defer log.Close()
	_, err = log.Append(line)
	return err
}

func (st *Store) readSaidLocked() {
	if st.said != nil {
		return
	}
	st.said = map[string]string{}
	path := filepath.Join(st.dir, "messages.jsonl")
	_, _ = st.deps.Disk.CutTorn(path, "") // a torn line is a message that will be taken again
	_, _ = durable.ReadFrom(path, 0, func(raw []byte, _ int64) bool {
		var l saidLine
		if json.Unmarshal(raw, &l) == nil {
			st.said[l.Message] = l.Session
		}
		return true
	})
}
