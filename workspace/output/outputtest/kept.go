// Package outputtest is a sink for tests, which keeps what calls write.
package outputtest

import (
	"bytes"
	"errors"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Kept is a sink that keeps everything it is given; with Full set, no file.
type Kept struct {
	Full  error // what Spill fails with
	Limit int   // after so many bytes the file is full; 0: never
	Mute  bool  // count the file's bytes, do not keep them

	mu    sync.Mutex
	Live  []string // to read once the call has ended; before that there is Shown
	Files []*File
}

// File is what one call has spilled.
type File struct {
	Text   bytes.Buffer
	Size   int64
	Closed int
	k      *Kept
}

// CallID is always the same.
func (k *Kept) CallID() string { return "call_1" }

// Line is where that call is.
func (k *Kept) Line() string { return "s1" }

// Output keeps what is shown live.
func (k *Kept) Output(_, text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.Live = append(k.Live, text)
}

// Shown takes what was shown live since the last time.
func (k *Kept) Shown() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	shown := k.Live
	k.Live = nil
	return shown
}

// Spill opens the next file, or fails with Full.
func (k *Kept) Spill(string) (tool.Spill, error) {
	if k.Full != nil {
		return nil, k.Full
	}
	f := &File{k: k}
	k.Files = append(k.Files, f)
	return f, nil
}

// Write fails where it would go over the limit.
func (f *File) Write(p []byte) (int, error) {
	if f.k.Limit > 0 && int(f.Size)+len(p) > f.k.Limit {
		return 0, errors.New("disk full")
	}
	f.Size += int64(len(p))
	if !f.k.Mute {
		f.Text.Write(p)
	}
	return len(p), nil
}

// Path is always the same.
func (f *File) Path() string { return "/artifacts/a1.txt" }

// Close counts itself and gives the same name always.
func (f *File) Close() (tool.ArtifactRef, string, error) {
	f.Closed++
	return tool.ArtifactRef{ArtifactID: "a1", Bytes: f.Size}, "/artifacts/a1.txt", nil
}
