package history

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Boundary is the last place of a log at or before a seq at which a conversation
// can be cut: every call has its result, nobody is asked, no sub-agent is at
// work. The transcript is that of the log up to there. at 0 is the end of the
// log.
func Boundary(log *Log, at int64) (*Transcript, error) {
	cut, err := lastBoundary(log, at)
	if err != nil {
		return nil, err
	}
	t := NewTranscript()
	err = log.Each(1, func(e Event) error {
		if e.Seq > cut {
			return ErrStop
		}
		return t.Apply(e)
	})
	return t, err
}

func lastBoundary(log *Log, at int64) (cut int64, err error) {
	t := NewTranscript()
	err = log.Each(1, func(e Event) error {
		if at > 0 && e.Seq > at {
			return ErrStop
		}
		err := t.Apply(e)
		if len(t.OpenCalls) == 0 && !t.Waits() && len(t.Children) == 0 {
			cut = t.Seq
		}
		return err
	})
	switch {
	case err != nil:
		return 0, err
	case at > t.Seq:
		return 0, fmt.Errorf("the session ends at %d", t.Seq)
	case cut == 0:
		return 0, errors.New("the session has no beginning")
	}
	return cut, nil
}

// asked is the kind of a run that a person has asked for.
const asked = "prompt"

// IsPrompt says that a line is what a person has written to the model: it began a run, or
// was handed to one.
func IsPrompt(b Body) bool {
	switch b := b.(type) {
	case RunStarted:
		return b.Kind == asked
	case UserMessage:
		return !b.Synthetic && !b.Ignored
	}
	return false
}

// Fork is a new session that begins with what another one was.
type Fork struct {
	From   *Log
	Cut    *Transcript // of From, as Boundary gave it
	Opened Opened      // the first line of the new log
	ID     string      // of the new session
	Title  string
	// Line changes a line as it is copied: where it names a file that is copied
	// too. It gets and gives whole lines without a newline.
	Line func([]byte) []byte
	// Last is called when everything is written and nothing can be seen yet.
	Last func() error
}

// Write makes the log of a folder: the first line is the fork's own, the others
// keep their seq, so that what points to one still does. What was only meant for
// the other session is left out of them: full access, what was allowed for the
// session, the ids of a client's messages. What the cut leaves open is ended. The
// log appears at once, whole.
func (f Fork) Write(disk *durable.Disk, dir string, now time.Time) error {
	temp := filepath.Join(dir, "forking.jsonl")
	out, err := disk.OpenLog(temp)
	if err != nil {
		return err
	}
	err = f.copyTo(out, now)
	if err == nil {
		err = errors.Join(out.Sync(), f.Last())
	}
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	return disk.Rename(temp, filepath.Join(dir, LogFile))
}

func (f Fork) copyTo(out *durable.Log, now time.Time) error {
	write := func(e Event) error {
		line, err := e.Encode()
		if err == nil {
			_, err = out.Append(line)
		}
		return err
	}
	if err := write(Event{Seq: 1, Time: now, Body: f.Opened}); err != nil {
		return err
	}
	var failed error
	_, err := durable.ReadFrom(f.From.path, 0, func(line []byte, _ int64) bool {
		var e Event
		if e, failed = Decode(line); failed != nil || e.Seq == 1 {
			return failed == nil
		}
		if e.Seq > f.Cut.Seq {
			return false
		}
		if changed, own := f.withoutOwn(e.Body); own {
			e.Body = changed
			line, failed = e.Encode()
		}
		if failed == nil {
			_, failed = out.Append(f.Line(bytes.Clone(line)))
		}
		return failed == nil
	})
	if err := errors.Join(failed, err); err != nil {
		return err
	}
	seq := f.Cut.Seq
	for _, e := range f.ends() {
		seq++
		e.Seq, e.Time = seq, now
		if err := write(e); err != nil {
			return err
		}
	}
	return nil
}

// ends are the last lines: of what the cut leaves open, and what the fork is
// called.
func (f Fork) ends() []Event {
	var out []Event
	cancelled := RunEnded{StopReason: StopCancelled, Changes: []FileChange{}}
	if f.Cut.Run != nil {
		out = append(out, Event{Run: f.Cut.Run.ID, Body: cancelled})
	}
	for _, q := range f.Cut.Queue {
		out = append(out, Event{Run: q.RunID, Body: cancelled})
	}
	return append(out, Event{Body: Changed{Title: &f.Title}})
}

// withoutOwn is a line without what holds only for the session that wrote it, and
// whether there was any.
func (f Fork) withoutOwn(b Body) (Body, bool) {
	switch b := b.(type) {
	case Approval:
		b.SessionID = f.ID
		return b, true
	case ApprovalResolved:
		own := len(b.Grants) > 0
		b.Grants = nil
		return b, own
	case Changed:
		full := b.Mode != nil && *b.Mode == tool.ModeFullAccess
		own := full || b.Closed != nil
		if b.Closed = nil; full { // the mode stays as it was
			b.Mode = nil
		}
		return b, own
	case RunQueued:
		own := b.ClientMessageID != ""
		b.ClientMessageID = ""
		return b, own
	case RunStarted:
		own := b.ClientMessageID != ""
		b.ClientMessageID = ""
		return b, own
	case UserMessage:
		own := b.ClientMessageID != ""
		b.ClientMessageID = ""
		return b, own
	}
	return b, false
}

// CopyChild copies the log of a sub-agent for a fork: byte for byte, but for its
// first line, which says whose it is. What it did when it was resumed behind the
// root's line of seq cut stays behind.
func CopyChild(disk *durable.Disk, from, to string, cut int64, opened func(Opened) Opened, change func([]byte) []byte) error {
	if err := disk.MkdirAll(to, 0o700); err != nil {
		return err
	}
	temp := filepath.Join(to, "forking.jsonl")
	out, err := disk.OpenLog(temp)
	if err != nil {
		return err
	}
	var failed error
	_, err = durable.ReadFrom(filepath.Join(from, LogFile), 0, func(line []byte, _ int64) bool {
		line = bytes.Clone(line)
		e, err := Decode(line)
		if err == nil && e.After > cut {
			return false
		}
		if o, first := e.Body.(Opened); err == nil && first {
			e.Body = opened(o)
			line, err = e.Encode()
		}
		if failed = err; err == nil {
			_, failed = out.Append(change(line))
		}
		return failed == nil
	})
	if err := errors.Join(failed, err, out.Sync(), out.Close()); err != nil {
		return err
	}
	return disk.Rename(temp, filepath.Join(to, LogFile))
}
