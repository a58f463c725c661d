package session

import (
	"context"
	"errors"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
)

// Session is one conversation: its journal, and what works on it.
type Session struct {
	deps   *Deps
	id     string
	dir    string
	parent *Session // of a sub-agent
	lock   *durable.Lock
	root   *root
	book   *placeholder.Book // of the root

	journal *journal.Journal
	blobs   blobs

	watchers  *watchers
	authority *authority
	auditor   *auditor
	asker     *asker
	calls     *caller
	agents    *roster
	tools     *toolbox
	worker    *worker
	ends      promises
	*activity
	children children
}

// children are the sub-agents of a session. A transaction of its journal guards them.
type children struct {
	journal *journal.Journal
	dir     string // of the session

	atWork []childAtWork
	gone   chan struct{} // closed and replaced when one ends
	made   int           // so far, for their folders
}

// activity is what goes on in a session.
type activity struct {
	journal *journal.Journal
	above   *activity // of the session that sent this one, nil where a person did

	// A transaction of the journal guards what follows.
	live     *run          // the run that is worked on, nil when idle
	undoing  string        // the undo that is under way, "" when none is
	stopUndo func()        // ends it; nil when none is
	idle     chan struct{} // closed when nothing runs any more; nil when idle
	closing  bool          // nothing is taken in any more
}

// current is the run that is worked on, or that Prompt has started and nobody works on
// yet.
func (a *activity) current() *run {
	x := a.journal.Begin()
	defer x.End()
	return a.live
}

// agent is that of the run that is worked on.
func (a *activity) agent() config.Agent {
	x := a.journal.Begin()
	defer x.End()
	if a.live == nil {
		return config.Agent{}
	}
	return a.live.agent
}

// rest says that nothing runs any more.
func (a *activity) rest() {
	if a.idle != nil {
		close(a.idle)
		a.idle = nil
	}
}

// ID is the session's id, unique in its workspace.
func (s *Session) ID() string { return s.id }

// Dir is the session's folder.
func (s *Session) Dir() string { return s.dir }

// Seq is the last durable seq.
func (s *Session) Seq() int64 { return s.journal.Seq() }

// Ephemeral says that nothing of the session outlives the process.
func (s *Session) Ephemeral() bool {
	return journal.Read(s.journal, func(t *history.Transcript) bool { return t.Opened.Ephemeral })
}

// LiveRun is the id of the run that is worked on, "" when idle.
func (s *Session) LiveRun() string {
	if r := s.activity.current(); r != nil {
		return r.id
	}
	return ""
}

// Pending are the open questions, oldest first.
func (s *Session) Pending() []history.Approval {
	return journal.Read(s.journal, func(t *history.Transcript) []history.Approval { return append([]history.Approval{}, t.Pending...) })
}

// Close ends what runs, writes it down and lets go of the log. It returns when
// everything is durable.
func (s *Session) Close(ctx context.Context) error {
	x := s.journal.Begin()
	s.closing = true // no prompt comes between the last run and the end
	if s.stopUndo != nil {
		s.stopUndo() // what is left of it comes back when it is asked for again
	}
	x.End()
	s.Cancel(CancelAll, "shutdown")
	if err := s.Idle(ctx); err != nil {
		return err
	}
	s.endJobs()
	x = s.journal.Begin()
	defer x.End()
	if x.Closed() {
		return nil
	}
	err := errors.Join(x.CatchUp(), x.Sync())
	s.writeInfo(x)
	return errors.Join(err, x.Close(), s.lock.Close())
}
