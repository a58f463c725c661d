package session

import (
	"strconv"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// ResetPolicy says when sessions of an agent give their key to a new one: the
// agent's own word, else the configured one.
func (d *Deps) ResetPolicy(agent string) string {
	if a, ok := d.agent(agent, ""); ok && a.Reset != "" {
		return a.Reset
	}
	return d.Config.Settings().Memory.Reset
}

// ResetDue says whether a session in which something happened last at that time
// is to be reset now: with `daily` on the first prompt of another local day, with
// `idle:<minutes>` after so many. A clock that went back resets nothing.
func ResetDue(policy string, last, now time.Time) bool {
	if !now.After(last) {
		return false
	}
	if policy == "daily" {
		return last.Local().Format(time.DateOnly) != now.Local().Format(time.DateOnly)
	}
	if minutes, ok := strings.CutPrefix(policy, "idle:"); ok {
		n, err := strconv.Atoi(minutes)
		return err == nil && n > 0 && now.Sub(last) >= time.Duration(n)*time.Minute
	}
	return false
}

// NextRun is the run that is worked on, or else the first that waits, "" for none.
func (s *Session) NextRun() string {
	x := s.journal.Begin()
	defer x.End()
	switch {
	case s.live != nil:
		return s.live.id
	case len(x.State.Queue) > 0:
		return x.State.Queue[0].RunID
	}
	return ""
}

// Retire closes a session for its key, which is free from now on; the session can
// still be read, and prompted by its id; what it has in the background ends. It says
// no where something runs or waits.
func (s *Session) Retire() (bool, error) {
	x := s.journal.Begin()
	if s.live != nil || s.undoing != "" || len(x.State.Queue) > 0 {
		x.End()
		return false, nil
	}
	closed := true
	err := x.TryAppend("", history.Changed{Closed: &closed})
	if err == nil {
		s.writeInfo(x)
	}
	if x.End(); err != nil {
		return false, err
	}
	s.root.place().Jobs.EndJobs(s.id)
	return true, nil
}
