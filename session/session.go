package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/durable"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
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
	key    string      // what an old form of the key in the log means now; "" = as the log says
	env    Environment // as it was at the start

	mu           sync.Mutex // guards everything below, and the order of log, memory and notifications
	log          *history.Log
	t            *history.Transcript
	live         *run                               // the run that is worked on, nil when idle
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
	loopsAllowed bool                               // somebody said always to a doom loop
	vault        []tool.Tool                        // the Vault's tools of this session
	ids          int                                // ids given in this process
	unwritten    []history.Event                    // what the log has refused; memory goes on
	broken       error                              // why, nil when the log takes lines
	imagesTold   map[string]model.ImagesLeft        // what was said of images that a model does not see, by its name
	closing      bool                               // nothing is taken in any more
	closed       bool
	weights      map[int64]weight // of items, by seq; what weigh has found out
	weighedFor   string           // for this model

	failures int // of summaries in a row; only the run's goroutine counts
	// flushedAt is the summary, from 1, before which memory was last written down
	// in this process; only the run's goroutine uses it.
	flushedAt int
	view      view
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
	e := history.Event{Seq: s.t.Seq + 1, Time: time.Now().Truncate(time.Millisecond), Run: run, Body: body}
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

// tellLocked shows an event that stands in the log.
func (s *Session) tellLocked(e history.Event) {
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

// Await returns when there is an event after seq, and says no when ctx ends or
// none will come.
func (s *Session) Await(ctx context.Context, seq int64) bool {
	s.mu.Lock()
	if s.t.Seq > seq || s.closed {
		defer s.mu.Unlock()
		return s.t.Seq > seq
	}
	if s.news == nil {
		s.news = make(chan struct{})
	}
	news := s.news
	s.mu.Unlock()
	select {
	case <-news:
		return s.Seq() > seq
	case <-ctx.Done():
		return false
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
	s.deps.Notifier.Ephemeral(s.origin, history.Ephemeral{Type: "notice", Run: run, After: s.t.Seq, Data: Notice{Severity: "error", Title: "The session log cannot be written: " + err.Error()}})
}

// syncedAlways are the events that are on the platter before anything follows
// (ruling 109); decisions and results of calls that change something are synced
// where they are recorded.
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

// show tells watchers something that is not kept.
func (s *Session) show(run, kind string, data any) {
	after := s.root().Seq()
	s.deps.Notifier.Ephemeral(s.origin, history.Ephemeral{Type: kind, Run: run, After: after, Data: data})
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
	return s.t.Seq
}

// Info describes the session for lists.
func (s *Session) Info() history.Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.infoLocked()
}

func (s *Session) infoLocked() history.Info {
	state := "idle"
	switch {
	case s.closed:
		state = "closed"
	case len(s.t.Pending) > 0:
		state = "waiting_approval"
	case s.live != nil:
		state = "running"
	case s.t.Closed:
		state = "closed"
	case s.t.Interrupted != nil:
		state = "interrupted"
	}
	info := s.t.Describe(s.id, state)
	if s.key != "" {
		info.SessionKey = s.key
	}
	if info.Mode == "full_access" && !s.full {
		info.Mode = "agent" // lost on restart unless confirmed again (control §4)
	}
	return info
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

// Queue is what waits to be run.
func (s *Session) Queue() []history.QueueItem {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queueLocked()
}

func (s *Session) queueLocked() []history.QueueItem {
	out := []history.QueueItem{}
	for _, q := range s.t.Queue {
		out = append(out, q.QueueItem)
	}
	return out
}

// facts are what a policy of this session knows now.
func (s *Session) facts(agent control.Agent) control.Facts {
	f := s.deps.Facts()
	f.Agent, f.Ceiling, f.Further = agent.Name, agent.Ceiling, agent.Further
	f.Own = append(f.Own, s.ownDirs()...)
	r := s.root()
	r.mu.Lock()
	defer r.mu.Unlock()
	f.Grants, f.Tainted, f.NoMemory = r.t.Grants, r.t.Tainted, !r.privateLocked()
	f.Mode = "agent"
	if r.t.Info.Mode == "full_access" && r.full {
		f.Mode = "full_access"
	}
	return f
}

// MayRead says whether the session may read an object without asking anybody
// (control §1).
func (s *Session) MayRead(object string) bool {
	plan := &tool.Plan{Tool: "read", Effect: tool.Read, Targets: []tool.Target{{Domain: "read", Object: object}}}
	return control.NewPolicy(s.facts(control.Agent{})).Decide(plan).Verdict == control.Allow
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
	s.mu.Unlock()
	s.Cancel(CancelAll, "shutdown")
	if err := s.Idle(ctx); err != nil {
		return err
	}
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
