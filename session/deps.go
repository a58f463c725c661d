package session

import (
	"cmp"
	"context"
	"encoding/json"
	"io"

	"github.com/rs/zerolog"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/control/hooks"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/questions"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Deps is what sessions are given. All of it is made in one place,
// cmd/agent-sidecar/wire.go, and outlives the sessions. None stands for what there is not.
type Deps struct {
	Disk *durable.Disk
	Home string // the sidecar's home, absolute

	WorkspaceID  string // slug and hash, or "none"
	WorkspaceURI string

	Config *config.Store
	// Unasked is since when commands ran without a question here. nil: nobody knows.
	Unasked *config.Unasked
	// Accepted is what commands started when a person said yes to them. nil: nobody
	// has said yes to any.
	Accepted *config.Accepted

	// Here is this machine, where sessions work that say nothing else. Elsewhere are the
	// other places; nil: there are none.
	Here      *Place
	Elsewhere Elsewhere

	Models    Models
	Spending  *Spending // nil: nothing is written down
	Audits    Audits
	Subagents map[string]Subagent // by agent name; a user's agent needs none
	Hooks     *hooks.Runner       // nil: the user has none

	// Locks are shared by all sessions of a process: two of them never change one
	// path at a time.
	Locks *Locks

	// SyncState is how the copy of a session on the person's server is. nil: there are no
	// copies. It waits for nothing.
	SyncState func(session string) string

	Approver Approver
	Notifier Notifier
	Log      zerolog.Logger
}

// modeOfNew is the mode of sessions for which nobody says another one.
func (d *Deps) modeOfNew() tool.Mode {
	return cmp.Or(tool.Mode(d.Config.Settings().Mode.Default), tool.ModeAgent)
}

// Models opens models, and counts for them.
type Models interface {
	// OpenModel opens a model with those that follow it when it is unavailable; ""
	// means the configured one.
	OpenModel(name string, fallback []string) (model.Model, error)
	// DefaultModel is the configured model's name, "" when there is none.
	DefaultModel() string
	// Cheapest is the cheapest model that is configured for the provider of a model, by the
	// prices that are known, and else that model; "" where the provider is a server of this
	// machine or a private network, which has nothing to spare beside its conversation.
	Cheapest(name string) string
	// Ratio corrects an estimate of tokens for one model, and Learn is told what one
	// was and what the provider has reported.
	Ratio(model string) float64
	Learn(model string, reported, estimated int64)
	// Exact counts the tokens of a text; it may take a tenth of a second.
	Exact(model, text string) int64
}

// Audits opens the audit of a session, and that of which sessions were made and deleted.
// A nil *audit.Log is one that cannot be written.
type Audits interface {
	Audit(sessionID string) *audit.Log
	AuditSessions() *audit.Log
}

// Approver asks a person. rpc implements it over every surface of an editor,
// the terminal client with a prompt.
type Approver interface {
	questions.Person
	// CanAnswer says whether there is anybody to ask.
	CanAnswer() bool
	// CanEdit says whether an answer may bring other arguments for the call
	// (editedInput).
	CanEdit() bool
	// Approve shows q until ctx ends, which withdraws it everywhere. Every
	// answer that a person gives comes over the channel; silence is not an
	// answer. An Answer without a decision only says that nobody may be left who
	// can answer: CanAnswer is asked again. Approve does not block.
	Approve(ctx context.Context, q history.Approval) <-chan Answer
}

// Answer is a person's word on an Approval.
type Answer struct {
	Decision string // once, session, always, reject
	OfferID  string // always: which offer; "" the first
	Feedback string
	// EditedInput are other arguments for the call, with "once" only; nil: as they
	// are.
	EditedInput json.RawMessage
	Mode        tool.Mode // of a plan, with once: what it is carried out in; "" as it was
	Digest      string    // what the person looked at; "" = the current one
	Interrupt   bool
	By          string // client, code_action, message_request, code_lens
	// Settle is told what became of the answer. It may be nil.
	Settle func(Outcome)
}

func (a Answer) settle(o Outcome) {
	if a.Settle != nil {
		a.Settle(o)
	}
}

// Outcome is what became of an answer.
type Outcome struct {
	Status   string            `json:"status"` // applied, already_resolved, stale, not_found
	Approval *history.Approval `json:"approval,omitempty"`
	Rule     *control.Rule     `json:"rule,omitempty"`
	// Refused is why edited arguments cannot run. The question stays as it is, and
	// the client hears an error instead of a status.
	Refused error `json:"-"`
}

// Notifier is told what happens. Its methods must not block: they are called
// while the session is locked, so that events arrive in order.
type Notifier interface {
	Event(history.Origin, history.Event)
	Ephemeral(history.Origin, history.Ephemeral)
}

// Subagent runs a sub-agent for a `task` call and returns its report.
type Subagent interface {
	Run(ctx context.Context, parent Parent, task Task) (Report, error)
}

// Parent is a session that sends sub-agents.
type Parent interface {
	// Delegate runs a task as a session of its own. verify may be nil.
	Delegate(ctx context.Context, task Task, verify Verify) (Report, error)
}

// Task is one piece of work for a sub-agent.
type Task struct {
	Agent  string
	Prompt string
	CallID string
	Resume string // a sub-agent of the session that has ended and goes on, "explore#1"; "" = a new one
	Share  int    // percent of the turns that it may have; 0 = all
	Model  string // "" = the agent's own, or the session's
	Limits *history.Limits
	Begun  func() // called once when the sub-agent has begun; may be nil
}

// Report is what a sub-agent answers.
type Report struct {
	Text      string
	Failed    bool
	Error     *history.RunError // why its run ended badly; nil where it was cancelled
	Path      string            // what it is called, "explore#1"; "" where none could be sent
	Changes   []history.FileChange
	Citations *history.Citations
}

// Verify may correct the last words of a sub-agent, and counts what they cite,
// before they are recorded. The text tells of files as its writer saw them.
type Verify func(ctx context.Context, text string, sight Sight) (string, *history.Citations)

// Sight is how a sub-agent sees files: Open is Files.Cited for those that it may read
// without asking anybody, Shown is a text of one as it is shown, with placeholders for
// secrets.
type Sight struct {
	Open  func(path string) (io.ReadCloser, error)
	Shown func(text string) string
}
