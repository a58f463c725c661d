package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	Reset       bool   `json:"reset,omitempty"` // its key is free, whatever its state: a run by its id does not take it back (ruling 63)
	// OpenRun is the run that had not ended, "" for none. Only Look finds one:
	// whether it goes on is known to whoever holds the lock.
	OpenRun string `json:"-"`
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

// glimpse is how much of a log Look reads at each of two places, in bytes;
// wideGlimpse is over the longest line that there is.
const glimpse, wideGlimpse = 64 << 10, 256 << 10

// Look describes a session that is not open here, at a cost that does not grow
// with its history: what it wrote about itself, and of what its log says beyond
// that (another process is writing, or died, or the file is lost) the first and
// the last 64 KiB. Where that leaves a stretch out, usage and compactionCount
// lack what stands in it, and a title given in it is not seen; whoever opens the
// session writes them right.
func Look(dir, id string, now Mark) (About, error) {
	path, size := filepath.Join(dir, "events.jsonl"), now.Bytes
	about, known := readAbout(dir, path, size)
	if known && about.Bytes == size {
		about.ID = id
		return about, nil
	}
	g := looker{t: NewTranscript(), interrupted: known && about.State == "interrupted"}
	if known {
		g.t.Info, g.t.Seq, g.t.FirstPrompt, g.t.LastPrompt, g.t.Closed = about.Info, about.Seq, about.FirstPrompt, about.LastPrompt, about.Reset || about.State == "closed"
	}
	next, err := durable.ReadFrom(path, about.Bytes, func(line []byte, at int64) bool {
		return g.line(line) && at+int64(len(line)) < about.Bytes+glimpse
	})
	if tail := tailLine(path, size); err == nil && next < size {
		_, _ = durable.ReadFrom(path, max(next, tail), func(line []byte, _ int64) bool { return g.line(line) }) // what is torn or broken is not this reader's to mend
	}
	if next == 0 { // it was being made
		return About{}, fmt.Errorf("session %s has no line: %w", id, os.ErrNotExist)
	}
	state := "idle"
	switch {
	case g.open != "" || g.interrupted:
		state = "interrupted"
	case g.t.Closed:
		state = "closed"
	}
	return About{Info: g.t.Describe(id, state), Seq: g.t.Seq, Bytes: size, FirstPrompt: g.t.FirstPrompt, LastPrompt: g.t.LastPrompt, Reset: g.t.Closed, OpenRun: g.open}, nil
}

// looker folds stretches of a log, of which only what Info says is of use.
type looker struct {
	t           *Transcript
	open        string // the run that has not ended
	interrupted bool   // the last run was
}

// line takes in one line; one that is no event ends the stretch.
func (g *looker) line(raw []byte) bool {
	e, err := Decode(raw)
	if err != nil {
		return false
	}
	g.t.Seq = e.Seq - 1 // a stretch may have been left out
	_ = g.t.Apply(e)
	switch b := e.Body.(type) {
	case RunQueued:
	case RunStarted:
		g.open, g.interrupted = e.Run, false
	case RunEnded:
		if g.open == e.Run || g.open == "" && b.StopReason == "interrupted" {
			g.open, g.interrupted = "", b.StopReason == "interrupted"
		}
	default:
		if e.Run != "" {
			g.open = e.Run
		}
	}
	return true
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

// usualAbout is more than info.json has but where prompts are long, in bytes.
const usualAbout = 4 << 10

// readSmall is os.ReadFile with half of its calls of the system, which is what a
// list of thousands costs.
func readSmall(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	buf := make([]byte, usualAbout)
	n, err := f.Read(buf)
	if n < len(buf) {
		return buf[:n], err
	}
	rest, err := io.ReadAll(f)
	return append(buf, rest...), err
}

func endsLine(path string, at int64) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var last [1]byte
	_, err = f.ReadAt(last[:], at-1)
	return err == nil && last[0] == '\n'
}

// tailLine is where a line begins in the last stretch of the log, the longest
// line counted in; size where none does.
func tailLine(path string, size int64) int64 {
	f, err := os.Open(path)
	if err != nil {
		return size
	}
	defer f.Close()
	for _, most := range []int64{glimpse, wideGlimpse} {
		from := max(0, size-most)
		if from == 0 {
			return 0
		}
		part := make([]byte, size-from)
		if n, err := f.ReadAt(part, from); n < len(part) && err != nil {
			return size
		}
		if i := bytes.IndexByte(part, '\n'); i >= 0 && i+1 < len(part) {
			return from + int64(i) + 1
		}
	}
	return size
}

// Mark says whether the log of a folder is the one that was looked at before.
type Mark struct {
	Bytes    int64
	Modified int64 // nanoseconds
}

// MarkOf is that of the folder's log now.
func MarkOf(dir string) (Mark, error) {
	fi, err := os.Stat(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		return Mark{}, err
	}
	if !fi.Mode().IsRegular() {
		return Mark{}, errors.New("the log is not a file")
	}
	return Mark{fi.Size(), fi.ModTime().UnixNano()}, nil
}
