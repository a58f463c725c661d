package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

// Prompt is what a person, or a parent's `task` call, wants done.
type Prompt struct {
	history.Request
	Selected    []Selected // in the documents that its blocks point at
	Delivery    Delivery   // "": DeliverAuto
	ExpectedRun string
	// Foreign says that there is text from outside in it, which a person has chosen: it taints
	// the session as if a call had brought it.
	Foreign bool
}

// Delivery is what happens to a prompt while a run goes on.
type Delivery string

// The deliveries.
const (
	DeliverAuto  Delivery = "auto"  // it is queued
	DeliverStart Delivery = "start" // it is refused
	DeliverSteer Delivery = "steer" // the run hears it
	DeliverQueue Delivery = "queue"
)

// Deliveries are all of them.
var Deliveries = []Delivery{DeliverAuto, DeliverStart, DeliverSteer, DeliverQueue}

// Prompt takes a prompt in: it starts a run, steers the one under way, or queues
// it, decided here at once. Where the Ack says Owed the caller calls Work.
func (s *Session) Prompt(p Prompt) (history.Ack, error) {
	blocks, err := s.intake.offload(s.intake.withSelection(p))
	if err != nil {
		return history.Ack{}, err
	}
	if p.Prompt = blocks; p.Kind == "compaction" && isBlank(blocks) {
		p.Prompt = []history.Block{}
	}
	x := s.journal.Begin()
	defer x.End()
	if s.closing || x.Closed() {
		return history.Ack{}, journal.ErrClosed
	}
	if ack, known := x.State.Acks[p.ClientMessageID]; known && p.ClientMessageID != "" {
		ack.SessionID = s.id
		return ack, nil
	}
	if err := s.admit(x, p); err != nil {
		return history.Ack{}, err
	}
	if err := s.folder.keep(x); err != nil {
		return history.Ack{}, err
	}
	if err := x.CatchUp(); err != nil { // nothing is taken in that would not be kept
		return history.Ack{}, journal.Unwritable(err)
	}
	if err := s.root.taintBy(x, p); err != nil {
		return history.Ack{}, err
	}
	ack := history.Ack{SessionID: s.id}
	switch {
	case p.Delivery == DeliverSteer:
		ack.RunID, ack.Disposition = s.live.id, "steered"
		err = x.TryAppend(s.live.id, history.UserMessage{MessageID: x.NewID("m"), Content: p.Prompt, ClientMessageID: p.ClientMessageID, Steering: true})
	case s.live == nil:
		ack.RunID, ack.Disposition = x.NewID("r"), "started"
		err = s.start(x, ack.RunID, p.Request)
	default:
		ack.RunID, ack.Disposition, ack.QueuePosition = x.NewID("r"), "queued", len(x.State.Queue)+1
		err = x.TryAppend(ack.RunID, history.RunQueued{ItemID: x.NewID("q"), Request: p.Request})
	}
	if err != nil {
		return history.Ack{}, err
	}
	ack.Seq, ack.Owed = x.State.Seq, ack.Disposition == "started"
	if ack.Disposition != "steered" {
		s.ends.add(ack.RunID)
	}
	return ack, nil
}

// taintBy remembers, before the prompt itself is recorded, that there is text from outside in
// it.
func (o *root) taintBy(x *journal.Txn, p Prompt) error {
	if x.State.Tainted || !p.Foreign && !history.Untrusted(p.Prompt) {
		return nil
	}
	run, tainted := "", true
	if o.session.live != nil {
		run = o.session.live.id
	}
	if err := x.TryAppend(run, history.Changed{Tainted: &tainted}); err != nil {
		return err
	}
	o.said.touch()
	return nil
}

// Continue goes on with what the process before this one left: a run of kind
// continuation where one was interrupted, else the first prompt that waits. A
// zero Ack says that there is nothing.
func (s *Session) Continue() (history.Ack, error) {
	x := s.journal.Begin()
	interrupted, idle := x.State.Interrupted != nil, s.live == nil && !s.closing && s.undoing == ""
	if idle && !interrupted && len(x.State.Queue) > 0 {
		defer x.End()
		next := s.next(x)
		if next == nil {
			return history.Ack{}, journal.Unwritable(x.Broken())
		}
		return history.Ack{SessionID: s.id, RunID: next.id, Disposition: "started", Seq: x.State.Seq, Owed: true}, nil
	}
	x.End()
	if !idle || !interrupted {
		return history.Ack{}, nil
	}
	return s.Prompt(Prompt{Request: history.Request{Kind: "continuation", Prompt: history.Text("Continue the work that was interrupted. Check first what was already done.")}})
}

// admit refuses what cannot be taken in now.
func (s *Session) admit(x *journal.Txn, p Prompt) error {
	if p.Delivery != "" && !slices.Contains(Deliveries, p.Delivery) {
		return &InvalidError{"delivery", fmt.Sprintf("%q is none of auto, start, steer, queue", p.Delivery)}
	}
	if err := p.Check(); err != nil {
		return err
	}
	if s.undoing != "" {
		return &BusyError{s.id, s.undoing}
	}
	if err := s.agents.admit(x, p.Agent, p.Model); err != nil {
		return err
	}
	active := ""
	if s.live != nil {
		active = s.live.id
	}
	switch {
	case p.ExpectedRun != "" && p.ExpectedRun != active:
		return &MismatchError{s.id, p.ExpectedRun, active}
	case p.Delivery == DeliverSteer && (s.live == nil || s.live.leaving.Load()):
		return &NotActiveError{s.id}
	case p.Delivery == DeliverStart && s.live != nil:
		return &BusyError{s.id, active}
	}
	return nil
}

// isBlank says that a prompt says nothing at all to a model.
func isBlank(blocks []history.Block) bool {
	return !slices.ContainsFunc(history.ForModel(blocks), func(b history.Block) bool { return b.Type != "text" || strings.TrimSpace(b.Text) != "" })
}
