package history

import (
	"encoding/json"
	"errors"
	"io"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Info is a session as lists show it.
type Info struct {
	ID              string    `json:"id"`
	SessionKey      string    `json:"sessionKey"`
	Title           string    `json:"title"`
	Agent           string    `json:"agent"`
	Mode            tool.Mode `json:"mode"`
	Model           string    `json:"model"`
	RuntimeMode     string    `json:"runtimeMode"`
	Runner          string    `json:"runner,omitempty"` // with runtimeMode cloud: on whose machine it works
	SyncState       string    `json:"syncState"`
	State           string    `json:"state"` // idle, running, waiting_approval, interrupted, closed
	CompactionCount int       `json:"compactionCount"`
	Usage           Usage     `json:"usage"`
	CreatedAt       string    `json:"createdAt"`
	UpdatedAt       string    `json:"updatedAt"`
	Parent          *Parent   `json:"parent,omitempty"`
	// Params are those that the session says itself: not what its agent or the configuration says.
	Params model.Params `json:"params,omitzero"`
	// LockedBy is only in answers to clients: it is never kept.
	LockedBy *Holder `json:"lockedBy,omitempty"`
}

// Holder is another process that has a session open, here or on another machine.
type Holder struct {
	PID     int    `json:"pid"`               // 0: not known
	Machine string `json:"machine,omitempty"` // another machine that has it; "": this one
}

// Is says whether two are the same process, or nobody both.
func (h *Holder) Is(other *Holder) bool {
	return h == nil && other == nil || h != nil && other != nil && *h == *other
}

// About is what a session writes about itself beside its log, so that lists and
// searches need no history. It is a cache: the log decides. It describes the log
// up to Bytes, exactly.
type About struct {
	Info
	Seq   int64 `json:"seq"`
	Bytes int64 `json:"bytes"` // of the log it describes
	// FirstPrompt and LastPrompt are for searching; each is cut.
	FirstPrompt string `json:"firstPrompt,omitempty"`
	LastPrompt  string `json:"lastPrompt,omitempty"`
	Reset       bool   `json:"reset,omitempty"` // its key is free, whatever its state: a run by its id does not take it back
	// OpenRun is the run that had not ended, "" for none. Only Look finds one:
	// whether it goes on is known to anyone who holds the lock. Asking says that it
	// waits for a person.
	OpenRun string `json:"-"`
	Asking  bool   `json:"-"`
}

const aboutFile = "info.json"

// Save writes it into the session's folder.
func (a About) Save(disk *durable.Disk, dir string) error {
	raw, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return disk.WriteCache(filepath.Join(dir, aboutFile), raw, 0o600)
}

// readAbout reads what a session wrote about itself, if it describes a beginning
// of its log of so many bytes.
func readAbout(dir, path string, size int64) (about About, known bool) {
	raw, err := readSmall(filepath.Join(dir, aboutFile))
	if err != nil || json.Unmarshal(raw, &about) != nil || about.Bytes <= 0 || about.Bytes > size || about.SessionKey == "" {
		return About{}, false
	}
	if about.Bytes == size || endsLine(path, about.Bytes) {
		return about, true
	}
	return About{}, false
}

// usualAbout is more than info.json has but where prompts are long, mostAbout more
// than it ever has, in bytes.
const usualAbout, mostAbout = 4 << 10, 1 << 20

// readSmall is os.ReadFile with half of its calls of the system, which is what a
// list of thousands costs.
func readSmall(path string) ([]byte, error) {
	f, err := durable.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	buf := make([]byte, usualAbout)
	n, err := f.Read(buf)
	if n < len(buf) {
		return buf[:n], err
	}
	rest, err := io.ReadAll(io.LimitReader(f, mostAbout))
	return append(buf, rest...), err
}

// Forget removes what is remembered of the log of a folder, which is about to be another one.
func Forget(disk *durable.Disk, dir string) error {
	return errors.Join(disk.Remove(filepath.Join(dir, aboutFile)), disk.Remove(filepath.Join(dir, foldFile)))
}
