package session

import (
	"context"
	"encoding/json"
	"time"

	"github.com/rs/zerolog"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/control/hooks"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/system"
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

	Surroundings Surroundings
	Files        Files
	Tools        Tools
	Models       Models
	Audits       Audits
	Artifacts    Artifacts
	Jobs         Jobs
	Runners      map[string]Runner // by agent name; a user's agent needs none
	Hooks        *hooks.Runner     // nil: the user has none

	// Locks are shared by all sessions of a process: two of them never change one
	// path at a time.
	Locks *Locks

	Approver Approver
	Notifier Notifier
	Log      zerolog.Logger
}

// Surroundings are where sessions work, as things are now.
type Surroundings interface {
	// Facts are the parts of a policy's facts that are the same for every session:
	// resolver, roots, homes.
	Facts() control.Facts
	// Environment is how this machine and this workspace are. A session keeps what it was
	// told at its start; the zero Environment says nothing.
	Environment() system.Environment
	// Instructions are the standing instructions of people (AGENTS.md files) that
	// hold for documents, given as URIs: layers of the prompt by that name, what
	// applies to all first. Of a workspace that is not trusted there are none. It is
	// asked once a run.
	Instructions(documents []string) []system.Layer
	// Memory is what the prompt of a person's own session says of earlier ones, ""
	// where there is nothing or the workspace is not trusted.
	Memory() string
}

// Files are those of the workspace. The Vault implements it.
type Files interface {
	// Unsaved names the files in which an edit of the agent's waits in the editor to
	// be saved.
	Unsaved() []string
	// ReadOnly says that nothing can be written in the workspace.
	ReadOnly() bool
	// Unfollowed counts the files that git ignores and that are other since a time, and
	// names the first; all is false where there are more.
	Unfollowed(ctx context.Context, since time.Time) (count int, first []string, all bool)
	// StartedDiff says what is different in a file, by its object, since it had the
	// content with that hash; "" where that is not known.
	StartedDiff(object, was string) string
	// Folder is the object of a folder, by a path from the first one or by an object.
	Folder(name string) (object string, err error)
	// Attachment reads a file that a prompt names by its URI, where mayRead says so of its
	// object: whole, or of a larger one max bytes and one more.
	Attachment(uri string, max int64, mayRead func(object string) bool) ([]byte, error)

	// Undo brings files back to what they were before changes; record is called with
	// each change that this makes. With dryRun nothing is done.
	Undo(ctx context.Context, changes []tool.Change, merge, dryRun bool, record func(tool.Change) error) ([]tool.Change, []tool.Conflict, error)
	// LostChanges is what a call had changed when its process died; known is false
	// where nobody knows. It is asked once a call.
	LostChanges(line, callID string) (changes []tool.Change, known bool)
	// MoreChanges are the changes of a command that its log has only as one, by the
	// checkpoint of that.
	MoreChanges(checkpoint string) ([]tool.Change, error)
	// Compare says how a file is now beside what it was before a change; differs is
	// false for one that is back.
	Compare(was tool.Change) (now tool.Change, differs bool)
	// CheckpointText is the text of a kept content; an error says that it is not there
	// any more. size is in bytes.
	CheckpointText(hash string) (text string, isText bool, size int, err error)
}

// ToolOwner is the session that tools are made for. Each answer is as things are when it is
// asked.
type ToolOwner interface {
	// ID is the session's, or of a sub-agent its own.
	ID() string
	// MayRead tells of an object whether the session may read it without asking anybody.
	// What the current agent may not read is closed to its searches, too. It is made once
	// for a search that asks about very many, and may be called from several goroutines.
	// base is the directory that is searched, "" for none: a person who allowed that
	// allowed what is in it.
	MayRead(base string) func(object string) bool
	// JudgeFetch is what applies to an address that a call comes to: a redirect is judged
	// like a call.
	JudgeFetch(object string) control.Decision
}

// Tools are those that sessions do not bring themselves.
type Tools interface {
	// Tools are the Vault's tools for one session, in whose folder they keep what must
	// last longer than the process; "" is none.
	Tools(of ToolOwner, folder string) []tool.Tool
	// ToolsToExplain take the place of those of Tools with the same name where a
	// call is only explained; asked is the tool it is about.
	ToolsToExplain(of ToolOwner, asked string) []tool.Tool
	// ThirdPartyTools are those that come and go: external ones and those of MCP
	// servers. Each run asks once and keeps what it got, so that the list stays as
	// it is while the model works with it. It may wait a little for servers that
	// are just starting, never beyond ctx.
	ThirdPartyTools(ctx context.Context) []tool.Tool
}

// Models opens models, and counts for them.
type Models interface {
	// OpenModel opens a model with those that follow it when it is unavailable; ""
	// means the configured one.
	OpenModel(name string, fallback []string) (model.Model, error)
	// DefaultModel is the configured model's name, "" when there is none.
	DefaultModel() string
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
	Digest      string // what the person looked at; "" = the current one
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

// Artifacts keeps outputs that are too large for the conversation.
type Artifacts interface {
	Create(sessionID, toolName, callID, mime string) (tool.Spill, error)
	RemoveSession(sessionID string) error
	// ArtifactDirs are the folders of a session's artifacts, absolute.
	ArtifactDirs(sessionID string) []string
	// Copy gives a session those of another one, by the names of their files;
	// what is not there any more is left out.
	Copy(from, to string, files []string) error
}

// Jobs are the commands that sessions, and sub-agents, have in the background.
// They outlive a run and end with their session.
type Jobs interface {
	// JobNews says for the model what has ended since it was asked last and the
	// model does not know.
	JobNews(sessionID string) []string
	// StopJob stops the job that a call has started, if it runs, and does not wait.
	StopJob(sessionID, callID string) (stopped bool)
	// EndJobs stops all jobs of a session and returns when nothing of them runs.
	EndJobs(sessionID string)
}

// Runner runs a sub-agent for a `task` call and returns its report.
type Runner interface {
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

// Sight is how a sub-agent sees files: May says which it may read without asking
// anybody, Shown is a text of one as it is shown, with placeholders for secrets.
type Sight struct {
	May   func(object string) bool
	Shown func(text string) string
}
