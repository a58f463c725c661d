package session

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// info is what a session writes about itself, so that lists need no history.
type info struct {
	Info
	Seq   int64 `json:"seq"`
	Bytes int64 `json:"bytes"` // of the log it describes
}

// writeInfo is a cache: an error costs only time.
func (s *Session) writeInfo() {
	if s.parent != nil || s.broken != nil || s.closed {
		return
	}
	about := s.infoLocked()
	if about.State != "interrupted" {
		about.State = "idle"
	}
	raw, err := json.Marshal(info{about, s.t.seq, s.log.end})
	if err == nil {
		err = s.deps.Disk.WriteFile(filepath.Join(s.dir, "info.json"), raw, 0o600)
	}
	if err != nil {
		s.deps.Log.Warn().Err(err).Str("session", s.id).Msg("info.json")
	}
}

// readInfo describes a session that is not open here.
func readInfo(dir, id string) (Info, error) {
	size, err := fileSize(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		return Info{}, err
	}
	var about info
	raw, err := os.ReadFile(filepath.Join(dir, "info.json"))
	if err == nil && json.Unmarshal(raw, &about) == nil && about.Bytes == size {
		return about.Info, nil
	}
	t := newTranscript()
	l := &eventLog{path: filepath.Join(dir, "events.jsonl")}
	_ = l.scan(1, func(e Event, _ int64) error { return t.apply(e) }) // a torn tail is not this reader's to mend
	t.info.ID, t.info.State = id, "idle"
	if t.run != nil || t.interrupted != nil {
		t.info.State = "interrupted"
	}
	return t.info, nil
}
