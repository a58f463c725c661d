package session

import (
	"errors"
	"fmt"
	"time"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
)

// record makes body the next event: on disk, then in memory, then shown. Where
// the disk refuses, memory goes on and the session says that it is broken.
func (s *Session) record(run string, body history.Body) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.recordLocked(run, body)
}

// recordLocked is record for those who hold the lock. Where the log refuses the
// line, it waits in memory and is written before the next one.
func (s *Session) recordLocked(run string, body history.Body) error {
	if s.closed {
		return errClosed
	}
	e := s.eventLocked(run, body)
	if err := s.writeLocked(e); err != nil {
		s.unwritten = append(s.unwritten, e)
		s.fail(run, err)
		return errors.Join(err, s.t.Apply(e))
	}
	return s.writtenLocked(e)
}

// offerLocked records what a person wants, or nothing at all: where the log
// refuses the line, memory is as before, and the person is told.
func (s *Session) offerLocked(run string, body history.Body) error {
	if s.closed {
		return errClosed
	}
	e := s.eventLocked(run, body)
	if err := s.writeLocked(e); err != nil {
		s.fail(run, err)
		return logBroken(err)
	}
	if err := s.syncLocked(e.Body); err != nil { // nobody has heard of the line yet
		s.fail(run, err)
		return logBroken(errors.Join(err, s.log.TakeBack()))
	}
	return s.toldLocked(e)
}

// writeLocked puts e into the log, behind what still waits for it.
func (s *Session) writeLocked(e history.Event) error {
	if err := s.catchUpLocked(); err != nil {
		return err
	}
	return s.log.Append(e)
}

// eventLocked makes the next event. A sub-agent's line also takes its root's
// seq: locks are taken from child to root, never back.
func (s *Session) eventLocked(run string, body history.Body) history.Event {
	e := history.Event{Seq: s.t.Seq + 1, Time: time.Now().Truncate(time.Millisecond), Run: run, Body: placeholder.Hidden(s.book(), body)}
	if s.parent != nil {
		e.After = s.root().Seq()
	}
	return e
}

// writtenLocked takes a line that stands in the log into memory and shows it.
// A line that may not survive a power cut counts, and is reported.
func (s *Session) writtenLocked(e history.Event) error {
	err := s.syncLocked(e.Body)
	if err != nil {
		s.fail(e.Run, err)
	}
	return errors.Join(err, s.toldLocked(e))
}

// syncLocked puts a line on the platter where its kind belongs there at once.
func (s *Session) syncLocked(body history.Body) error {
	if !syncedAlways(body) {
		return nil
	}
	return s.log.Sync()
}

// toldLocked takes a line into memory and shows it.
func (s *Session) toldLocked(e history.Event) error {
	if err := s.t.Apply(e); err != nil {
		return fmt.Errorf("fold %s: %w", e.Type(), err)
	}
	s.tellLocked(e)
	return nil
}

// tellLocked shows an event that stands in the log, behind the answer to an undo that
// is under way.
func (s *Session) tellLocked(e history.Event) {
	if s.undoing != "" {
		s.untold = append(s.untold, e)
		return
	}
	s.deps.Notifier.Event(s.origin, e)
	if s.news != nil {
		close(s.news)
		s.news = nil
	}
}

// catchUpLocked writes what the log has refused before, in order.
func (s *Session) catchUpLocked() error {
	for len(s.unwritten) > 0 {
		if err := s.log.Append(s.unwritten[0]); err != nil {
			return err
		}
		if err := s.syncLocked(s.unwritten[0].Body); err != nil {
			return errors.Join(err, s.log.TakeBack())
		}
		s.tellLocked(s.unwritten[0])
		s.unwritten = s.unwritten[1:]
	}
	s.broken = nil
	return nil
}

// fail says once that nothing more can be kept.
func (s *Session) fail(run string, err error) {
	if s.broken != nil {
		return
	}
	s.broken = err
	s.deps.Log.Error().Err(err).Str("session", s.id).Msg("log cannot be written")
	s.deps.Notifier.Ephemeral(s.origin, history.Ephemeral{Type: "notice", Run: run, After: s.t.Seq, Data: Notice{Severity: "error", Title: "The session log cannot be written: " + err.Error()}})
}

// syncedAlways are the events that are on the platter before anything follows;
// decisions and results of calls that change something are synced where they
// are recorded.
func syncedAlways(b history.Body) bool {
	switch b := b.(type) {
	case history.UserMessage:
		return b.Steering // it is acknowledged like every prompt
	case history.RunStarted, history.RunQueued, history.RunEnded, history.Approval, history.ApprovalResolved, history.ContextCompacted, history.Opened,
		history.SubagentStarted: // its log is looked for only where the root names it
		return true
	}
	return false
}

// flush puts what was recorded on the platter.
func (s *Session) flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil || s.closed {
		return s.broken
	}
	if err := s.log.Sync(); err != nil {
		s.fail("", err)
		return err
	}
	return nil
}

// must records what the run cannot go on without. Where the log refuses it, the
// run ends and says so; what it has done stays in memory.
func (s *Session) must(r *run, b history.Body) {
	if err := s.record(r.id, b); err != nil {
		r.cancel(logBroken(err))
	}
}

func logBroken(err error) error { return fmt.Errorf("the session log cannot be written: %w", err) }
