package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

// saveTranscript keeps the conversation beside the log, with the results that
// layer one only names.
func (k *compactor) saveTranscript(r *run) (string, error) {
	t := journal.Read(k.journal, copied)
	messages := t.Messages(k.blobs.get, model.Message{Role: "system", Text: r.system})
	var b strings.Builder
	for _, m := range messages {
		line, err := history.Marshal(savedLine(m))
		if err != nil {
			return "", err
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	dir := filepath.Join(k.root.dir, history.TranscriptFolder) // where a sub-agent may read it too
	if err := k.deps.Disk.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	name := fmt.Sprintf("%s_%s", k.id, time.Now().UTC().Format("20060102T150405.000Z"))
	path := filepath.Join(dir, name+".jsonl")
	for n := 2; exists(path); n++ { // two within a millisecond, or a clock that went back
		path = filepath.Join(dir, fmt.Sprintf("%s-%d.jsonl", name, n))
	}
	return path, k.deps.Disk.WriteFile(path, []byte(b.String()), 0o600)
}

// saved is one message of a saved transcript: for anyone who reads it later, model
// or person.
type saved struct {
	Role   string      `json:"role"`
	Text   string      `json:"text,omitempty"`
	CallID string      `json:"callId,omitempty"`
	Calls  []savedCall `json:"calls,omitempty"`
	Images []string    `json:"images,omitempty"` // what kind each was
}

type savedCall struct {
	CallID string `json:"callId"`
	Tool   string `json:"tool"`
	Input  string `json:"input"`
}

func savedLine(m model.Message) saved {
	out := saved{Role: m.Role, Text: m.Text, CallID: m.CallID}
	for _, c := range m.Calls {
		out.Calls = append(out.Calls, savedCall{c.ID, c.Name, c.Arguments})
	}
	for _, i := range m.Images {
		out.Images = append(out.Images, i.MIME)
	}
	return out
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
