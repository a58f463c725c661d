package workspace

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// seen is what a session has read: the hash of each file as it was read or as the
// session left it, by Path.key. In a session's folder it is kept in a file, so that it
// also counts in the next process; without that file, or a part of it, a file has to be
// read once more, which is why nothing waits for it and no error is one.
type readSet struct {
	disk *durable.Disk
	file string // "": it lasts as long as the process

	mu     sync.Mutex // guards everything below, and the file
	hashes map[string]string
}

// seenFile is where it is kept in the folder of a session: a line for each change, the
// last of a file counts.
const readSetFile = "seen.jsonl"

// mostSeen is how long that file may be, in bytes.
const mostReadSet = 16 << 20

type readSetLine struct {
	Key  string `json:"key"`
	Hash string `json:"hash,omitempty"` // "": it does not count as read any more
}

func newReadSet(disk *durable.Disk, folder string) *readSet {
	s := &readSet{disk: disk}
	if folder != "" {
		s.file = filepath.Join(folder, readSetFile)
	}
	return s
}

// hash is that of the file as the session knows it; "" where it has not read it.
func (s *readSet) hash(key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.allLocked()[key]
}

// set remembers the hash of a file; "" forgets it.
func (s *readSet) set(key, hash string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setLocked(key, hash)
}

// moved gives what now tells of a key another key.
func (s *readSet) moved(now func(key string) (to string, ok bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	to := map[string]string{}
	for key, hash := range s.allLocked() {
		if other, ok := now(key); ok {
			s.setLocked(key, "")
			to[other] = hash
		}
	}
	for key, hash := range to {
		s.setLocked(key, hash)
	}
}

func (s *readSet) setLocked(key, hash string) {
	all := s.allLocked()
	if all[key] == hash {
		return
	}
	if all[key] = hash; hash == "" {
		delete(all, key)
	}
	line, err := json.Marshal(readSetLine{key, hash})
	if err != nil || s.file == "" {
		return
	}
	_ = s.disk.Do(durable.OpWrite, s.file, func() error {
		f, err := os.OpenFile(s.file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.Write(append([]byte{'\n'}, line...)) // the end of the last line may be missing
		return err
	})
}

// allLocked reads the file when it is first asked.
func (s *readSet) allLocked() map[string]string {
	if s.hashes != nil {
		return s.hashes
	}
	s.hashes = map[string]string{}
	if s.file == "" {
		return s.hashes
	}
	text, err := durable.ReadFile(s.file, mostReadSet)
	if err != nil {
		return s.hashes
	}
	lines := 0
	for raw := range bytes.SplitSeq(text, []byte{'\n'}) {
		var l readSetLine
		if json.Unmarshal(raw, &l) != nil || l.Key == "" { // torn, or blank
			continue
		}
		lines++
		if s.hashes[l.Key] = l.Hash; l.Hash == "" {
			delete(s.hashes, l.Key)
		}
	}
	if lines > 1000 && lines > 4*len(s.hashes) {
		s.rewriteLocked()
	}
	return s.hashes
}

// rewriteLocked leaves one line a file.
func (s *readSet) rewriteLocked() {
	var text []byte
	for key, hash := range s.hashes {
		if line, err := json.Marshal(readSetLine{key, hash}); err == nil {
			text = append(append(text, '\n'), line...)
		}
	}
	_ = s.disk.WriteCache(s.file, text, 0o600)
}
