package session

import (
	"context"
	"errors"

	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

// Session is one conversation: its journal, and what works on it. What it embeds knows
// nothing of it.
type Session struct {
	deps    *Deps
	id      string
	dir     string
	parent  *Session // of a sub-agent
	root    *root
	journal *journal.Journal

	folder   *folder
	intake   *intake
	calls    *caller
	agents   *roster
	tools    *toolbox
	worker   *worker
	ends     *promises
	children children

	*activity
	*describer
	*logReader
	*queue
	*undoer
	*waiter
}

// children are the sub-agents of a session. A transaction of its journal guards them.
type children struct {
	journal *journal.Journal
	dir     string // of the session

	atWork []childAtWork
	gone   chan struct{} // closed and replaced when one ends
	made   int           // so far, for their folders
}

// ID is the session's id, unique in its workspace.
func (s *Session) ID() string { return s.id }

// Dir is the session's folder.
func (s *Session) Dir() string { return s.dir }

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
	s.worker.titles.end()
	s.root.place().Jobs.EndJobs(s.id)
	x = s.journal.Begin()
	defer x.End()
	if x.Closed() {
		return nil
	}
	err := errors.Join(x.CatchUp(), x.Sync())
	s.writeInfo(x)
	return errors.Join(err, x.Close(), s.folder.lock.Close())
}
