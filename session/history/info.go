package history

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/durable"
)

// Info is a session as lists show it (session §2 SessionInfo).
type Info struct {
	ID              string  `json:"id"`
	SessionKey      string  `json:"sessionKey"`
	Title           string  `json:"title"`
	Agent           string  `json:"agent"`
	Mode            string  `json:"mode"`
	Model           string  `json:"model"`
	RuntimeMode     string  `json:"runtimeMode"`
	SyncState       string  `json:"syncState"`
	State           string  `json:"state"` // idle, running, waiting_approval, interrupted, closed
	CompactionCount int     `json:"compactionCount"`
	Usage           Usage   `json:"usage"`
	CreatedAt       string  `json:"createdAt"`
	UpdatedAt       string  `json:"updatedAt"`
	Parent          *Parent `json:"parent,omitempty"`
}

// QueueItem is a prompt that waits (ruling 14).
type QueueItem struct {
	ItemID          string  `json:"itemId"`
	RunID           string  `json:"runId"`
	Prompt          []Block `json:"prompt"`
	ClientMessageID string  `json:"clientMessageId,omitempty"`
	CreatedAt       string  `json:"createdAt"`
}

// About is what a session writes about itself beside its log, so that lists need
// no history. It is a cache: the log decides.
type About struct {
	Info
	Seq   int64 `json:"seq"`
	Bytes int64 `json:"bytes"` // of the log it describes
}

const aboutFile = "info.json"

// Save writes it into the session's folder.
func (a About) Save(disk *durable.Disk, dir string) error {
	raw, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return disk.WriteFile(filepath.Join(dir, aboutFile), raw, 0o600)
}

// ReadInfo describes a session that is not open here: by what it wrote about
// itself, and by its log only where that is missing or old.
func ReadInfo(dir, id string) (Info, error) {
	size, err := fileSize(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		return Info{}, err
	}
	var about About
	raw, err := os.ReadFile(filepath.Join(dir, aboutFile))
	if err == nil && json.Unmarshal(raw, &about) == nil && about.Bytes == size {
		return about.Info, nil
	}
	t := NewTranscript()
	_ = Read(dir).Each(1, t.Apply) // a torn tail is not this reader's to mend
	state := "idle"
	if t.Run != nil || t.Interrupted != nil {
		state = "interrupted"
	}
	return t.Describe(id, state), nil
}
