// Package tool is the vocabulary that every other package shares: what a tool
// is, what a decoded call looks like before it runs (a Plan), and what comes
// back (a Result). It decides nothing, runs nothing and imports no other
// package of this module.
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// Effect is the worst a tool can do. The zero value is Unknown and is treated
// as worse than every other, so a forgotten field refuses.
type Effect int

// The effects, from the one nobody declared to the most harmless.
const (
	Unknown Effect = iota
	Exec           // starts a program
	Write          // changes files
	Net            // talks to the network
	Read           // looks, changes nothing
)

// String is the word used in logs and in the protocol's `risk`.
func (e Effect) String() string {
	switch e {
	case Read:
		return "read"
	case Net:
		return "network"
	case Write:
		return "write"
	case Exec:
		return "execute"
	default:
		return "unknown"
	}
}

// Tool is something a model can call. Implementations live in workspace,
// explore and session.
type Tool interface {
	Spec() Spec
	// Plan decodes args strictly into what would happen. It may resolve paths
	// and hash the files it would change, but reads no other content and
	// changes nothing. Its error is shown to the model.
	Plan(args json.RawMessage) (*Plan, error)
}

// Spec is what a model is told about a tool.
type Spec struct {
	Name        string
	Description string          // from the tool's .md file
	Schema      json.RawMessage // JSON Schema of the arguments, an object
	Effect      Effect
	// Tolerant lets arguments be understood that do not fit (Understand); only of a tool that looks.
	Tolerant bool
	Agents   []string // that may have it; nil: all
}

// Plan is a decoded call that has not run. Policy judges, a person approves and
// the audit records this value, and it is what runs: from then on nothing in it changes.
// What the judgement adds is a Grant.
type Plan struct {
	Tool   string
	Effect Effect
	Title  string // one line for a person: "edit rpc/server.go"

	// Targets are the objects the call touches; the strictest verdict over all
	// of them decides. A shell command has one target, and control adds the
	// ones it finds inside.
	Targets []Target
	// Below says that the targets are one directory and that the call looks
	// through what is in it. Each file there is judged when it is come to; a
	// person who says yes for longer is offered all of them.
	Below bool

	Command string // Exec: the shell text, parsed and never matched as a string
	Dir     string // Exec: the absolute directory it starts in
	Needs   Needs  // Exec: what the model asked for beyond the sandbox
	// Reads are the objects that a command asks to read although its sandbox closes them.
	// Each is also a target.
	Reads []string

	// Destructive marks what cannot be taken back by an undo of one file, for
	// example a recursive delete.
	Destructive bool
	// Why asks for a person where the rules would allow the call, and is the
	// reason they read, without a full stop: "it replaces one of 2 hard links". ""
	// asks nothing.
	Why said.Text

	// Input is the canonical JSON of the arguments (keys sorted).
	Input json.RawMessage
	// Base are the hashes of the files the call would change, as they are now.
	Base []string
	// Starts are the files of the workspace that Command starts, or that a runner in it
	// reads to find out what to start, as they are now.
	Starts []StartedFile
	// Digest is the hex sha256 over tool, canonical arguments, directory, targets,
	// Base and Starts. A different digest means a different question.
	Digest string

	// Lock names the resolved paths that must not be changed by two calls at
	// once.
	Lock []string

	// Preview shows a person what would happen with what a yes would grant. It is called
	// only when a person will look; nil means there is nothing to show beyond the title.
	Preview func(context.Context, Grant) (Preview, error)

	// Run does it. Before acting it checks again what the plan was judged on
	// (resolved paths, base hashes); if that changed it does nothing and says
	// so. Exec and file errors are Results with Failed set; an error is a
	// defect of ours or a cancelled context.
	Run func(context.Context, Grant, Sink) (Result, error)
}

// Grant is what the judgement of a plan gives to its Run: what the call may do, what holds
// it, and whose it is. The zero value grants nothing beyond the sandbox.
type Grant struct {
	// Needs is what a command may use beyond the sandbox: what its plan asks for and what
	// its words are known to need. One answer covers both.
	Needs Needs
	Opens []string // objects of files that the sandbox closes and the answer opens, for this call alone
	// Sandbox is the one that the call counts on: where that cannot be had, nothing runs.
	Sandbox Sandboxing
	Bounds  Bounds // of the agent; they do not depend on what was answered
	Origin  Origin
}

// Sandboxing is what a call counts on that nobody was asked about: what it starts runs in that
// sandbox or not at all. A greater one is stricter. The zero value counts on none.
type Sandboxing int

// The sandboxes that a decision can count on.
const (
	NoSandbox         Sandboxing = iota
	Sandboxed                    // every wall there is
	SandboxedReadOnly            // and nothing can be changed but a /tmp, a home and caches of its own
)

// Outdated is why a call is not planned: what it would change is not what the model
// has seen. Plan is the call as it would be all the same, for a person to look at who
// was asked about it before; nothing else may run it.
type Outdated struct {
	Plan *Plan
	Err  error
}

// Error is what a model is told.
func (o *Outdated) Error() string { return o.Err.Error() }

// Unwrap gives Err.
func (o *Outdated) Unwrap() error { return o.Err }

// Target is one object a call touches, in one permission domain: {read
// vault:/a.go}, {bash shell:go test ./...}.
type Target struct {
	Domain Domain
	Object string
}

// Domain is what rules of permission are about.
type Domain string

// The domains. DomainLimit and DomainDoomLoop are about a run, DomainConfig about the person's
// configuration, DomainPlan about a plan that only a person accepts, and DomainInternal about
// what changes nothing outside the session; the others are about what a call touches.
const (
	DomainRead      Domain = "read"
	DomainEdit      Domain = "edit"
	DomainBash      Domain = "bash"
	DomainWebFetch  Domain = "web_fetch"
	DomainWebSearch Domain = "web_search"
	DomainMCP       Domain = "mcp"
	DomainTool      Domain = "tool"
	DomainLimit     Domain = "limit"
	DomainDoomLoop  Domain = "doom_loop"
	DomainConfig    Domain = "config"
	DomainPlan      Domain = "plan"
	DomainInternal  Domain = "internal"
)

// Mode is what a session asks about. An unknown one is as ModeAsk.
type Mode string

// The modes.
const (
	ModeAsk        Mode = "ask"         // what is allowed only by default is asked about
	ModeAgent      Mode = "agent"       // what rules do not allow is asked about
	ModeFullAccess Mode = "full_access" // what would be asked is allowed
)

// Origin is where a call comes from, for what lasts longer than its conversation.
type Origin struct {
	Session, Run string
	Root         string   // the session at the top: its own, or of a sub-agent the one that it works for
	Read         []string // "files", "web", "MCP": whose text was part of the conversation
	// Apart is the session whose commands have what lasts longer than they do for
	// themselves, because text from outside is part of it; "": they share it.
	Apart string
}

// StartedFile is a file that a simple command of a script starts.
type StartedFile struct {
	Command string // the text of the simple command
	Object  string // "": there are more than can be said, or one that cannot be read
	Hash    string // hex sha256 of what counts of it
}

// Bounds are what an agent is held to beyond permission: they only ever take away.
// The zero Bounds take nothing.
type Bounds struct {
	Confined bool     // what it starts runs in a sandbox or not at all
	Offline  bool     // and without a network
	Within   []string // objects of folders: only what is in all of them may be read or changed
}

// Narrow says that they take anything away. What takes something must be held by a
// sandbox.
func (b Bounds) Narrow() bool { return b.Confined || b.Offline || len(b.Within) > 0 }

// And are bounds that both hold.
func (b Bounds) And(c Bounds) Bounds {
	return Bounds{b.Confined || c.Confined, b.Offline || c.Offline, append(slices.Clip(b.Within), c.Within...)}
}

// Preview is what a person sees before saying yes.
type Preview struct {
	Kind   string // "diff", "command" or "text"
	Text   string
	Places []Place // where in the Vault it would happen
	// Files are the texts of a diff, a file each.
	Files []Compared
}

// Compared is the text of a file before and after a change. A file that is not there
// has none.
type Compared struct {
	Path          string // Vault-relative with slashes, or absolute outside it
	Before, After string
	Moved         bool // it had another path before, of which the texts say nothing
}

// Place is a line range in a file, zero-based, end exclusive.
type Place struct {
	URI        string
	Start, End int
}

// ErrInterrupted is the error of a Run that has no result: what was done, nobody knows.
var ErrInterrupted = errors.New("interrupted; outcome unknown")

// Result is what a call gave back.
type Result struct {
	Text    string // for the model; never over the size the tool promised
	Failed  bool
	Parts   []Part   // images the model may look at
	Changes []Change // files that are different now
	// Conflicts are files that were to be brought here from another machine and were not.
	Conflicts []Conflict
	ExitCode  *int
	// Tainted says that Text or Parts hold what somebody outside wrote: a web
	// page, an MCP server's answer, also where the call failed. Calls with a
	// target of the domains web_fetch, web_search or mcp, and commands known to
	// use the network, count as tainted without it.
	Tainted bool
	// Secrets are those of the file that a part of it is shown in Text, where only the
	// file gives them away.
	Secrets []Secret
	// Spilled says that the whole output is in an artifact already and Text
	// is empty; head and tail are what was kept in memory.
	Spilled *Spilled
	// Ends says that the run ends behind this call, and is what the person is told.
	Ends said.Text
	// Way is how much of the time that the call took nobody worked for it: the way to
	// another machine and back. 0 on this one.
	Way time.Duration
}

// Secret is what is a secret by its form, and by what is around it in a file.
type Secret struct {
	Kind       string
	Start, End int  // bytes of the text that it is in
	Part       bool // only a piece of it is there
	Bare       bool // what is around it gives it away
	// Text is that of one which is not in the text shown, but elsewhere in the file, and
	// may be in another text by itself; then Start and End mean nothing.
	Text string
	File string // the object that it is from
}

// Failed is the result of a call that could not do what it was asked.
func Failed(err error) Result { return Result{Text: err.Error(), Failed: true} }

// Part is a non-text result.
type Part struct {
	MIME string
	Data []byte
}

// Change is one file that a call changed (protocol FileChange).
type Change struct {
	Path       string // Vault-relative with slashes, or absolute outside it
	URI        string
	Kind       string // "created", "modified", "deleted", "moved"
	From       string // moved: the old Path
	Additions  int
	Deletions  int
	Before     string // hex sha256 of the previous content, "" when there was none
	After      string // hex sha256 of the content now, "" when there is none
	Checkpoint string // names the stored pre-image, "" when there is none
	// Directory says that it is one: it is in the log, so that an undo brings
	// it back, and not in the lists of changed files.
	Directory bool
	// With are the calls whose commands ran at the same time and may have made the
	// change, too, as "<line>/<call>".
	With []string
	// Runner is on whose machine, "" for this one.
	Runner string
	// Held is why an undo leaves the file as it is whatever is there, because of the
	// calls With; "" mostly.
	Held Reason
}

// ArtifactRef names the full text of an output that was too large.
type ArtifactRef struct {
	ArtifactID string `json:"artifactId"`
	URI        string `json:"uri"`
	FileURI    string `json:"fileUri"`
	Path       string `json:"path"` // Vault-relative, or absolute outside the Vault
	Bytes      int64  `json:"bytes"`
	Lines      int64  `json:"lines"`
	MIMEType   string `json:"mimeType"`
	SHA256     string `json:"sha256"`
	// Capped says that the output was longer than the file, which was cut at its
	// cap.
	Capped bool `json:"capped,omitempty"`
}

// Spilled is an output whose whole text went straight to a file.
type Spilled struct {
	Text       string // all of it, where that is little enough; else Head and Tail
	Head, Tail string // whole lines where possible; head is before the gap, tail after it
	Bytes      int64
	Chars      int64
	Lines      int64
	SHA256     string
	Capped     bool // the file was cut at its cap
	Artifact   *ArtifactRef
	FullPath   string
	Note       string // appended after the preview: exit code, time-out
}

// Sink is what a running call may talk to. Its methods never block for long
// and are safe for concurrent use.
type Sink interface {
	// CallID is the id of the call that runs.
	CallID() string
	// Line names what the call is of: a session, or the part of it that is a
	// sub-agent's. No other line of the workspace has that name.
	Line() string
	// Output shows live output to anyone who watches; stream is "stdout",
	// "stderr" or "".
	Output(stream, text string)
	// Spill opens a file for the whole output of this call. An error means
	// that nothing can be kept and only a preview is possible.
	Spill(mime string) (Spill, error)
}

// Teller is a Sink that can also say something to the person which is no output of
// the call, also after the call has returned: that its job has ended.
type Teller interface {
	JobEnded(JobEnd)
}

// JobEnd is how a command in the background came to its end by itself, or by its
// time-out. The first member behind Command that is not zero says it; else it is Code.
type JobEnd struct {
	Command    string // in one line
	NotStarted string // the error
	TimedOut   int    // ms
	Failed     string // the error
	Signal     string
	Code       int // with Signal too
}

// Spill is an artifact being written. Close must be called once; it returns the
// reference of the finished file.
type Spill interface {
	Write(p []byte) (int, error)
	Close() (ref ArtifactRef, fullPath string, err error)
}
