package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Session is one conversation: its log and the transcript folded from it.
type Session struct {
	deps   *Deps
	id     string
	dir    string
	origin Origin
	parent *Session // of a sub-agent
	agent  string   // of a sub-agent: its fixed agent
	lock   *durable.Lock
	env    string // the environment part of the prompt, frozen at the start
	locks  *pathLocks

	mu           sync.Mutex // guards everything below, and the order of log, memory and notifications
	log          *eventLog
	t            *Transcript
	live         *run                               // the run that is worked on, nil when idle
	news         chan struct{}                      // closed with the next event; nil when nobody waits
	idle         chan struct{}                      // closed when nothing runs any more; nil when idle
	promises     map[string]*promise                // runs whose end somebody may wait for
	kids         []kid                              // sub-agents at work
	stops        map[string]context.CancelCauseFunc // calls at work, by callId
	children     int                                // sub-agents so far, for their folders
	changed      chan struct{}                      // closed and replaced when grants or the mode change
	waiting      int                                // open questions
	full         bool                               // full access was confirmed in this process
	loopsAllowed bool                               // somebody said always to a doom loop
	vault        []tool.Tool                        // the Vault's tools of this session
	ids          int                                // ids given in this process
	interrupted  *Interrupted                       // what the process before this one left
	broken       error                              // the log could not be written
	closed       bool

	failures int // of summaries in a row; only the run's goroutine counts
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

// record makes body the next event: on disk, then in memory, then shown. Where
// the disk refuses, memory goes on and the session says that it is broken.
func (s *Session) record(run string, body Body) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.recordLocked(run, body)
}

// recordLocked is record for those who hold the lock. A sub-agent's line also
// takes its root's seq: locks are taken from child to root, never back.
func (s *Session) recordLocked(run string, body Body) error {
	if s.closed {
		return errClosed
	}
	e := Event{Seq: s.t.seq + 1, Time: time.Now().Truncate(time.Millisecond), Run: run, Body: body}
	if s.parent != nil {
		e.After = s.root().Seq()
	}
	err := s.broken
	if err == nil {
		err = s.log.append(e)
	}
	if err == nil && syncedAlways(body) {
		err = s.log.sync()
	}
	if folded := s.t.apply(e); folded != nil {
		return fmt.Errorf("fold %s: %w", e.Type(), folded)
	}
	if err != nil {
		s.fail(run, err)
		return err
	}
	s.deps.Notifier.Event(s.origin, e)
	if s.news != nil {
		close(s.news)
		s.news = nil
	}
	return nil
}

// Await returns when there is an event after seq, or ctx ends.
func (s *Session) Await(ctx context.Context, seq int64) {
	s.mu.Lock()
	if s.t.seq > seq || s.closed {
		s.mu.Unlock()
		return
	}
	if s.news == nil {
		s.news = make(chan struct{})
	}
	news := s.news
	s.mu.Unlock()
	select {
	case <-news:
	case <-ctx.Done():
	}
}

var errClosed = errors.New("the session is closed")

// fail says once that nothing more can be kept.
func (s *Session) fail(run string, err error) {
	if s.broken != nil {
		return
	}
	s.broken = err
	s.deps.Log.Error().Err(err).Str("session", s.id).Msg("log cannot be written")
	s.deps.Notifier.Ephemeral(s.origin, Ephemeral{Type: "notice", Run: run, After: s.t.seq, Data: Notice{Severity: "error", Title: "The session log cannot be written: " + err.Error()}})
}

// syncedAlways are the events that are on the platter before anything follows
// (ruling 109); decisions and results of calls that change something are synced
// where they are recorded.
func syncedAlways(b Body) bool {
	switch b.(type) {
	case RunStarted, RunQueued, RunEnded, Approval, ApprovalResolved, ContextCompacted, Opened:
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
	return s.log.sync()
}

// show tells watchers something that is not kept.
func (s *Session) show(run, kind string, data any) {
	after := s.root().Seq()
	s.deps.Notifier.Ephemeral(s.origin, Ephemeral{Type: kind, Run: run, After: after, Data: data})
}

// Notice is a word to a person that changes nothing (protocol §5).
type Notice struct {
	Severity  string `json:"severity"` // info, warning, error
	Title     string `json:"title"`
	Kind      string `json:"kind,omitempty"` // message_reset …
	MessageID string `json:"messageId,omitempty"`
}

// Seq is the last durable seq.
func (s *Session) Seq() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.t.seq
}

// Info describes the session for lists.
func (s *Session) Info() Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.infoLocked()
}

func (s *Session) infoLocked() Info {
	info := s.t.info
	info.ID = s.id
	switch {
	case s.closed:
		info.State = "closed"
	case s.waiting > 0:
		info.State = "waiting_approval"
	case s.live != nil:
		info.State = "running"
	default:
		info.State = "idle"
	}
	if info.Mode == "full_access" && !s.full {
		info.Mode = "agent" // lost on restart unless confirmed again (control §4)
	}
	return info
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
func (s *Session) Pending() []Approval {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Approval{}, s.t.pending...)
}

// Queue is what waits to be run.
func (s *Session) Queue() []QueueItem {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []QueueItem{}
	for _, q := range s.t.queue {
		out = append(out, q.QueueItem)
	}
	return out
}

// facts are what a policy of this session knows now.
func (s *Session) facts(agent control.Agent) control.Facts {
	f := s.deps.Facts()
	f.Agent, f.Ceiling = agent.Name, agent.Ceiling
	f.Own = append(f.Own, s.ownDirs()...)
	r := s.root()
	r.mu.Lock()
	defer r.mu.Unlock()
	f.Grants = r.t.grants
	f.Mode = "agent"
	if r.t.info.Mode == "full_access" && r.full {
		f.Mode = "full_access"
	}
	return f
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
	s.Cancel(CancelAll, "shutdown")
	if err := s.Idle(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	err := errors.Join(s.log.sync(), s.log.close())
	s.writeInfo()
	return errors.Join(err, s.lock.Close())
}
