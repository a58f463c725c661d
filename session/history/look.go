package history

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// glimpse is how much of a log Look reads at each of two places, in bytes;
// wideGlimpse is over the longest line that there is.
const glimpse, wideGlimpse = 64 << 10, 256 << 10

// Look describes a session that is not open here, at a cost that does not grow
// with its history: what it wrote about itself, and of what its log says beyond
// that (another process is writing, or died, or the file is lost) the first and
// the last 64 KiB. Where that leaves a stretch out, usage and compactionCount
// lack what is in it, and a title given in it is not seen; anyone who opens the
// session writes them right.
func Look(dir, id string, now Mark) (About, error) {
	path, size := filepath.Join(dir, LogFile), now.Bytes
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
	return About{Info: g.t.Describe(id, state), Seq: g.t.Seq, Bytes: size, FirstPrompt: g.t.FirstPrompt, LastPrompt: g.t.LastPrompt, Reset: g.t.Closed, OpenRun: g.open, Asking: g.t.Waits()}, nil
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
		if g.open == e.Run || g.open == "" && b.StopReason == StopInterrupted {
			g.open, g.interrupted = "", b.StopReason == StopInterrupted
		}
	default:
		if e.Run != "" {
			g.open = e.Run
		}
	}
	return true
}

func endsLine(path string, at int64) bool {
	f, err := durable.Open(path)
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
	f, err := durable.Open(path)
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
	fi, err := os.Stat(filepath.Join(dir, LogFile))
	if err != nil {
		return Mark{}, err
	}
	if !fi.Mode().IsRegular() {
		return Mark{}, errors.New("the log is not a file")
	}
	return Mark{fi.Size(), fi.ModTime().UnixNano()}, nil
}
