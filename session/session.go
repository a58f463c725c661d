package session

import (
	"context"
	"errors"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/durable"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Session is one conversation: its log and the transcript folded from it.
type Session struct {
	deps   *Deps
	id     string
	dir    string
	origin history.Origin
	parent *Session // of a sub-agent
	lock   *durable.Lock
	key    string            // what an old form of the key in the log means now; "" = as the log says
	env    Environment       // as it was at the start
	hidden *placeholder.Book // of the root

	mu           sync.Mutex // guards everything below, and the order of log, memory and notifications
	log          *history.Log
	t            *history.Transcript
	live         *run                               // the run that is worked on, nil when idle
	undoing      string                             // the undo that is under way, "" when none is
	stopUndo     func()                             // ends it; nil when none is
	untold       []history.Event                    // recorded while undoing
	news         chan struct{}                      // closed with the next event; nil when nobody waits
	idle         chan struct{}                      // closed when nothing runs any more; nil when idle
	promises     map[string]*promise                // runs whose end somebody may wait for
	settled      []string                           // those of promises that have ended, oldest first
	kids         []kid                              // sub-agents at work
	kidGone      chan struct{}                      // closed and replaced when one ends
	stops        map[string]context.CancelCauseFunc // calls at work, by callId
	children     int                                // sub-agents so far, for their folders
	changed      chan struct{}                      // closed and replaced when grants or the mode change
	full         bool                               // full access was confirmed in this process
	lostFull     bool                               // it ended with the process before, and nobody has asked yet
	loopsAllowed bool                               // somebody said always to a doom loop
	vault        []tool.Tool                        // the Vault's tools of this session
	ids          int                                // ids given in this process
	unwritten    []history.Event                    // what the log has refused; memory goes on
	broken       error                              // why, nil when the log takes lines
	toldUnasked  bool                               // a person was told that commands run in the sandbox without a question
	closing      bool                               // nothing is taken in any more
	closed       bool
	across       acrossRuns
}

// ID is the session's id, unique in its workspace.
func (s *Session) ID() string { return s.id }

// Dir is the session's folder.
func (s *Session) Dir() string { return s.dir }

// root is the session that a person sees.
func (s *Session) root() *Session {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

var errClosed = errors.New("the session is closed")

// Seq is the last durable seq.
func (s *Session) Seq() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.t.Seq
}

// Ephemeral says that nothing of the session outlives the process.
func (s *Session) Ephemeral() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.t.Opened.Ephemeral
}

// LiveRun is the id of the run that is worked on, "" when idle.
func (s *Session) LiveRun() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil {
		return ""
	}
	return s.live.id
}

// Pending are the open questions, oldest first.
func (s *Session) Pending() []history.Approval {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]history.Approval{}, s.t.Pending...)
}

// touched is closed when something changes that an open question depends on.
func (s *Session) touched() <-chan struct{} {
	r := s.root()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

func (s *Session) touchLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Close ends what runs, writes it down and lets go of the log. It returns when
// everything is durable.
func (s *Session) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closing = true // no prompt comes between the last run and the end
	if s.stopUndo != nil {
		s.stopUndo() // what is left of it comes back when it is asked for again
	}
	s.mu.Unlock()
	s.Cancel(CancelAll, "shutdown")
	if err := s.Idle(ctx); err != nil {
		return err
	}
	s.endJobs()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	err := errors.Join(s.catchUpLocked(), s.log.Sync())
	s.writeInfo()
	s.closed = true
	if s.news != nil { // nothing more will come
		close(s.news)
		s.news = nil
	}
	return errors.Join(err, s.log.Close(), s.lock.Close())
}
