package rpc

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/key"
	"github.com/agent-sidecar/agent-sidecar/session/prompts"
	"github.com/agent-sidecar/agent-sidecar/session/store"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

type runParams struct {
	SessionID       string           `json:"sessionId"`
	SessionKey      string           `json:"sessionKey"`
	Prompt          promptBlocks     `json:"prompt"`
	Agent           string           `json:"agent"`
	Model           string           `json:"model"`
	Mode            tool.Mode        `json:"mode"`
	Delivery        session.Delivery `json:"delivery"`
	ExpectedRunID   string           `json:"expectedRunId"`
	ClientMessageID string           `json:"clientMessageId"`
	Context         *promptContext   `json:"context"`
	Limits          *history.Limits  `json:"limits"`
	System          string           `json:"system"`
	Retry           bool             `json:"retry"`
	Await           bool             `json:"await"`
	WorkDoneToken   json.RawMessage  `json:"workDoneToken"`
}

type promptContext struct {
	TextDocument *struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
	Selection   *history.Range `json:"selection"`
	Diagnostics bool           `json:"diagnostics"`
}

// compaction is the kind of a run that makes a summary.
const compaction = "compaction"

// promptBlocks is a string or a list of content blocks.
type promptBlocks []history.Block

// UnmarshalJSON takes both forms.
func (p *promptBlocks) UnmarshalJSON(raw []byte) error {
	var line string
	if json.Unmarshal(raw, &line) == nil {
		*p = history.Text(line)
		return nil
	}
	var blocks []history.Block
	if err := json.Unmarshal(raw, &blocks); err != nil {
		return wire.InvalidParams("prompt", "is neither a string nor a list of content blocks")
	}
	*p = blocks
	return nil
}

// check refuses content that no run could take.
func (p promptBlocks) check() error {
	for i, b := range p {
		switch b.Type {
		case "text", "resource_link", "artifact":
		case "image":
			if b.Data == "" && b.URI == "" {
				return wire.InvalidParams(fmt.Sprintf("prompt.%d", i), "an image needs data or a uri")
			}
		default:
			return failed(kindUnsupportedContent, "prompt.%d: content of type %q is not supported", i, b.Type)
		}
	}
	return nil
}

func (p *runParams) Check() error {
	switch {
	case p.Retry && len(p.Prompt) > 0:
		return wire.InvalidParams("retry", "replaces a prompt; give one of them")
	case p.Retry && p.SessionID == "" && p.SessionKey == "":
		return wire.Missing("sessionId")
	case p.Retry && p.Delivery != "" && p.Delivery != session.DeliverAuto && p.Delivery != session.DeliverStart:
		return wire.InvalidParams("delivery", "a run is tried again at once or not at all")
	case !p.Retry && len(p.Prompt) == 0:
		return wire.InvalidParams("prompt", "is missing") // the schema does not require it: retry is in its place
	}
	if err := p.Prompt.check(); err != nil {
		return err
	}
	if p.Mode == tool.ModeFullAccess {
		return confirmationRequired("confirm", "full access is given with agent/session/update and confirm: true")
	}
	if err := cmp.Or(oneOf("mode", p.Mode, modes), oneOf("delivery", p.Delivery, session.Deliveries), p.checkToken()); err != nil {
		return err
	}
	if l := p.Limits; l != nil && (negative(l.MaxTurns) || negative(l.MaxToolCalls) || negative(l.MaxTokens) || negative(l.MaxCost) || negative(l.WallMs)) {
		return wire.InvalidParams("limits", "a limit is negative")
	}
	return nil
}

// checkToken takes null as absent; a token is a string or an integer.
func (p *runParams) checkToken() error {
	if string(p.WorkDoneToken) == "null" {
		p.WorkDoneToken = nil
	}
	if len(p.WorkDoneToken) > 0 && !wire.LegalID(p.WorkDoneToken) {
		return wire.InvalidParams("workDoneToken", "is neither a string nor an integer")
	}
	return nil
}

func negative[N int | int64 | float64](n *N) bool { return n != nil && *n < 0 }

// runResult is RunAck, and with await also how the run ended.
type runResult struct {
	history.Ack
	*runEnd
}

// maxEndText is how much of the last answer the end of a run repeats, in bytes: no more than
// message.assistant has, so that the frame is one that every client takes.
const maxEndText = 128 << 10

type runEnd struct {
	StopReason history.StopReason   `json:"stopReason"`
	Text       string               `json:"text,omitempty"`
	Usage      history.Usage        `json:"usage"`
	Changes    []history.FileChange `json:"changes"`
	Artifacts  []tool.ArtifactRef   `json:"artifacts"`
	Error      *history.RunError    `json:"error,omitempty"`
	Message    string               `json:"message,omitempty"`
}

// runs takes prompts in and stops what came of them.
type runs struct {
	*link
	store     *store.Store
	surfaces  *surface.Surfaces
	documents *documents
	artifacts *artifacts
	trust     *trust
	own       OwnFiles
	current   atomic.Pointer[string] // the session of a plain client: the last one run or resumed
}

// drive works on a session's runs until it is idle.
func (s *runs) drive(of *session.Session) { s.Background(of.Work) }

// setCurrent makes a session the one that a plain client means.
func (s *runs) setCurrent(id string) { s.current.Store(&id) }

func (s *runs) currentID() string { return given(s.current.Load()) }

// run takes a prompt in and answers at once; with await, when its run has
// ended.
func (s *runs) run(ctx context.Context, c *wire.Call, p runParams) (runResult, error) {
	prompt, expanded, err := s.taken(ctx, &p) // which may wait for a server
	if err != nil {
		return runResult{}, err
	}
	if !p.Await {
		c.Reserve() // the answer names the ids, so it goes out before any event does (O2)
	}
	if p.Retry {
		prompt.Kind = "continuation"
	}
	if err := prompt.Check(); err != nil {
		return runResult{}, err
	}
	of, err := s.sessionFor(p)
	if err != nil {
		return runResult{}, err
	}
	if err := switchTo(of, expanded); err != nil {
		return runResult{}, err
	}
	s.surfaces.Found(of)
	token := p.Await && len(p.WorkDoneToken) > 0
	if token {
		s.surfaces.Progress.Claim(of.ID())
	}
	// First, so that a message is never taken twice: one that was said and not
	// taken is taken by the same session when it comes again.
	if err := s.store.Say(p.ClientMessageID, of.ID()); err != nil {
		s.Report("remember a client message", err)
	}
	take := of.Prompt
	if p.Retry {
		take = of.Retry
	}
	ack, err := take(prompt)
	if token {
		own := "" // a steered prompt has no run of its own, and so no progress
		if ack.Disposition != "steered" {
			own = ack.RunID
		}
		s.surfaces.Progress.Settle(of.ID(), own, p.WorkDoneToken)
		defer s.surfaces.Progress.Forget(own)
	}
	if err != nil {
		return runResult{}, err
	}
	s.setCurrent(of.ID())
	s.surfaces.TellMode(of.ID(), false, of.LostFullAccess())
	s.trust.ask(of.Info().Mode)
	if ack.Owed {
		s.drive(of)
	}
	c.Release()
	if !p.Await {
		return runResult{Ack: ack}, nil
	}
	return s.await(ctx, of, ack)
}

// taken makes of what a client has sent what a session takes in: a command becomes its text,
// and what is attached is kept apart until the session has judged it.
func (s *runs) taken(ctx context.Context, p *runParams) (session.Prompt, prompts.Expansion, error) {
	typed, expanded, err := s.expand(ctx, p)
	if err != nil {
		return session.Prompt{}, expanded, err
	}
	blocks, selected := s.documents.blocks(*p)
	prompt := session.Prompt{
		Request:  history.Request{Prompt: blocks, Agent: p.Agent, Model: p.Model, ClientMessageID: p.ClientMessageID, Limits: p.Limits, System: p.System, Typed: typed},
		Selected: selected, Delivery: p.Delivery, ExpectedRun: p.ExpectedRunID, Foreign: expanded.Foreign,
	}
	if expanded.Compact {
		prompt.Kind = compaction
	}
	return prompt, expanded, nil
}

// await waits for the end of a run. A client that cancels its request cancels
// the run, and the answer is how it ended: never an error.
func (s *runs) await(ctx context.Context, of *session.Session, ack history.Ack) (runResult, error) {
	stop := context.AfterFunc(ctx, func() { of.Cancel(session.CancelTarget{RunID: ack.RunID}, "cancelled by the client") })
	defer stop()
	ctx = context.WithoutCancel(ctx)
	ended, err := of.Wait(ctx, ack.RunID)
	if err != nil {
		return runResult{}, err
	}
	artifacts, err := s.artifacts.artifactsOf(ctx, of.ID(), ack.RunID)
	if err != nil {
		s.Report("list artifacts", err)
	}
	return runResult{ack, &runEnd{ended.StopReason, wire.CutText(ended.Text, maxEndText), ended.Usage, ended.Changes, nonNil(artifacts), surface.Failure(s.client.Locale, ended.Error), locale.Say(s.client.Locale, ended.Message)}}, nil
}

// sessionFor finds the session of a prompt, or makes one.
func (s *runs) sessionFor(p runParams) (*session.Session, error) {
	if said, err := s.store.Said(p.ClientMessageID); said != nil || err != nil {
		return said, err
	}
	if p.SessionID != "" {
		of, err := s.store.Get(p.SessionID)
		if err != nil || p.SessionKey == "" {
			return of, err
		}
		key, err := s.store.SameKey(of, p.SessionKey)
		if err == nil && !key {
			err = wire.InvalidParams("sessionKey", "is not the key of session "+p.SessionID)
		}
		return of, err
	}
	if p.Retry { // a key that has no session has nothing to retry
		of, err := s.store.Find(p.SessionKey, p.Agent)
		if of == nil && err == nil {
			err = wire.InvalidParams("retry", "there is no session of this key")
		}
		return of, err
	}
	if p.ExpectedRunID != "" || p.Delivery == session.DeliverSteer { // a session that would be left empty is not made, or reset
		return s.runningFor(p)
	}
	begin := session.NewSession{Key: p.SessionKey, Mode: p.Mode, First: session.FirstRun{Agent: p.Agent, Model: p.Model}}
	if p.SessionKey != "" && !key.Complete(p.SessionKey) && !s.store.Sends(p.Agent) {
		begin.Agent = p.Agent // it is part of the key that a short form stands for
	}
	of, _, err := s.store.New(begin)
	return of, err
}

// runningFor finds the session of a prompt that wants a run to be under way.
func (s *runs) runningFor(p runParams) (*session.Session, error) {
	if p.SessionKey != "" {
		if of, err := s.store.Find(p.SessionKey, p.Agent); of != nil || err != nil {
			return of, err
		}
	}
	if p.ExpectedRunID != "" {
		return nil, runMismatch(p.ExpectedRunID, "")
	}
	return nil, runNotActive("")
}

type cancelParams struct {
	SessionID string      `json:"sessionId"`
	RunID     *string     `json:"runId"` // nil: whatever runs; so it is with the next two
	AgentID   *string     `json:"agentId"`
	CallID    *string     `json:"callId"`
	Queue     cancelQueue `json:"queue"`
}

// given is what a pointer leads to, "" for nil.
func given(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (p *cancelParams) Check() error {
	for name, id := range map[string]*string{"runId": p.RunID, "agentId": p.AgentID, "callId": p.CallID} {
		if id != nil && *id == "" { // else it would mean all of them
			return wire.InvalidParams(name, "is empty; leave it out to cancel everything")
		}
	}
	return oneOf("queue", p.Queue, cancelQueues)
}

type cancelResult struct {
	Cancelled session.Cancelled `json:"cancelled"`
}

// cancel is the global Stop; it is idempotent, and without a session it stops
// all of them.
func (s *runs) cancel(_ context.Context, c *wire.Call, p cancelParams) (cancelResult, error) {
	c.Reserve() // what the cancel causes comes behind its answer
	target := session.CancelTarget{RunID: given(p.RunID), AgentID: given(p.AgentID), CallID: given(p.CallID), ClearQueue: p.Queue == cancelClears}
	out := cancelResult{session.Cancelled{Runs: []string{}, Agents: []string{}, Approvals: []string{}}}
	for _, of := range s.store.Live() {
		if p.SessionID != "" && of.ID() != p.SessionID {
			continue
		}
		stopped := of.Cancel(target, "cancelled by the user")
		out.Cancelled.Runs = append(out.Cancelled.Runs, stopped.Runs...)
		out.Cancelled.Agents = append(out.Cancelled.Agents, stopped.Agents...)
		out.Cancelled.Approvals = append(out.Cancelled.Approvals, stopped.Approvals...)
		out.Cancelled.Calls = append(out.Cancelled.Calls, stopped.Calls...)
	}
	return out, nil
}
