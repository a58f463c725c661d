package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Prompt is what a person, or a parent's `task` call, wants done.
type Prompt struct {
	Blocks          []history.Block
	Selected        []Selected // in the documents that blocks point at
	Agent           string     // for this run; "" = the session's
	Model           string     // for this run; "" = the session's
	Delivery        string     // auto, start, steer, queue; "" = auto
	ExpectedRun     string
	ClientMessageID string
	Limits          *history.Limits
	System          string // added to the system prompt of this run
	Kind            string // prompt, compaction, continuation, memory; "" = prompt
}

// Prompt takes a prompt in: it starts a run, steers the one under way, or queues
// it, decided here at once. Where the Ack says Owed the caller calls Work.
func (s *Session) Prompt(p Prompt) (history.Ack, error) {
	blocks, err := s.stash(s.withSelection(p))
	if err != nil {
		return history.Ack{}, err
	}
	if p.Blocks = blocks; p.Kind == "compaction" && isBlank(blocks) {
		p.Blocks = []history.Block{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing || s.closed {
		return history.Ack{}, errClosed
	}
	if ack, known := s.t.Acks[p.ClientMessageID]; known && p.ClientMessageID != "" {
		ack.SessionID = s.id
		return ack, nil
	}
	if err := s.admitLocked(p); err != nil {
		return history.Ack{}, err
	}
	if err := s.holdLocked(); err != nil {
		return history.Ack{}, err
	}
	if err := s.catchUpLocked(); err != nil { // nothing is taken in that would not be kept
		return history.Ack{}, logBroken(err)
	}
	ack := history.Ack{SessionID: s.id}
	switch {
	case p.Delivery == "steer":
		ack.RunID, ack.Disposition = s.live.id, "steered"
		err = s.offerLocked(s.live.id, history.UserMessage{MessageID: s.newIDLocked("m"), Content: p.Blocks, ClientMessageID: p.ClientMessageID, Steering: true})
	case s.live == nil:
		ack.RunID, ack.Disposition = s.newIDLocked("r"), "started"
		err = s.startLocked(ack.RunID, p)
	default:
		ack.RunID, ack.Disposition, ack.QueuePosition = s.newIDLocked("r"), "queued", len(s.t.Queue)+1
		err = s.offerLocked(ack.RunID, history.RunQueued{ItemID: s.newIDLocked("q"), Prompt: p.Blocks, Agent: p.Agent, Model: p.Model, ClientMessageID: p.ClientMessageID, Kind: p.Kind, Limits: p.Limits, System: p.System})
	}
	if err != nil {
		return history.Ack{}, err
	}
	ack.Seq, ack.Owed = s.t.Seq, ack.Disposition == "started"
	if ack.Disposition != "steered" {
		s.promiseLocked(ack.RunID)
	}
	return ack, nil
}

// Continue goes on with what the process before this one left: a run of kind
// continuation where one was interrupted, else the first prompt that waits. A
// zero Ack says that there is nothing.
func (s *Session) Continue() (history.Ack, error) {
	s.mu.Lock()
	interrupted, idle := s.t.Interrupted != nil, s.live == nil && !s.closing && s.undoing == ""
	if idle && !interrupted && len(s.t.Queue) > 0 {
		defer s.mu.Unlock()
		next := s.nextLocked()
		if next == nil {
			return history.Ack{}, logBroken(s.broken)
		}
		return history.Ack{SessionID: s.id, RunID: next.id, Disposition: "started", Seq: s.t.Seq, Owed: true}, nil
	}
	s.mu.Unlock()
	if !idle || !interrupted {
		return history.Ack{}, nil
	}
	return s.Prompt(Prompt{Kind: "continuation", Blocks: history.Text("Continue the work that was interrupted. Check first what was already done.")})
}

// admitLocked refuses what cannot be taken in now.
func (s *Session) admitLocked(p Prompt) error {
	if !slices.Contains([]string{"", "auto", "start", "steer", "queue"}, p.Delivery) {
		return &InvalidError{"delivery", fmt.Sprintf("%q is none of auto, start, steer, queue", p.Delivery)}
	}
	if err := p.Check(); err != nil {
		return err
	}
	if s.undoing != "" {
		return &BusyError{s.id, s.undoing}
	}
	if err := s.admitAgentLocked(p); err != nil {
		return err
	}
	active := ""
	if s.live != nil {
		active = s.live.id
	}
	switch {
	case p.ExpectedRun != "" && p.ExpectedRun != active:
		return &MismatchError{s.id, p.ExpectedRun, active}
	case p.Delivery == "steer" && (s.live == nil || s.live.leaving):
		return &NotActiveError{s.id}
	case p.Delivery == "start" && s.live != nil:
		return &BusyError{s.id, active}
	}
	return nil
}

// isBlank says that a prompt says nothing at all to a model.
func isBlank(blocks []history.Block) bool {
	return !slices.ContainsFunc(history.ForModel(blocks), func(b history.Block) bool { return b.Type != "text" || strings.TrimSpace(b.Text) != "" })
}

// startLocked makes the run and records that it has started.
func (s *Session) startLocked(id string, p Prompt) error {
	kind := p.Kind
	if kind == "" {
		kind = "prompt"
	}
	agent, name := p.Agent, p.Model
	if agent == "" {
		agent = s.t.Info.Agent
	}
	if name == "" {
		name = s.modelFor(agent)
	}
	body := history.RunStarted{Prompt: p.Blocks, Agent: agent, Model: name, ClientMessageID: p.ClientMessageID, Kind: kind, Limits: p.Limits, System: p.System}
	ctx, cancel := context.WithCancelCause(context.Background())
	if s.idle == nil {
		s.idle = make(chan struct{})
	}
	s.live = &run{id: id, prompt: body, ctx: ctx, cancel: cancel, clock: newClock(),
		chosen: chosen{s.t.Info.Model, s.t.Params, s.t.SystemPrompt}}
	if err := s.offerLocked(id, body); err != nil {
		s.live = nil
		s.idleLocked()
		cancel(nil)
		return err
	}
	return nil
}

// current is the run that Prompt has started and nobody works on yet.
func (s *Session) current() *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live
}

// nextLocked starts the first queued prompt, or leaves the session idle. Where
// the log refuses, what waits keeps waiting in it; who waits for it is told.
func (s *Session) nextLocked() *run {
	s.live = nil
	if len(s.t.Queue) == 0 || s.closing {
		s.idleLocked()
		return nil
	}
	q := s.t.Queue[0]
	err := s.startLocked(q.RunID, Prompt{Blocks: q.Prompt, Agent: q.Entry.Agent, Model: q.Entry.Model, ClientMessageID: q.ClientMessageID, Kind: q.Entry.Kind, Limits: q.Entry.Limits, System: q.Entry.System})
	if err == nil {
		return s.live
	}
	for _, q := range s.t.Queue {
		s.settleLocked(q.RunID, Ended{RunID: q.RunID, StopReason: "error", Changes: []history.FileChange{}, Error: &history.RunError{Kind: "internal", Message: err.Error()}})
	}
	return nil
}
