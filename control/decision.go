// Package control decides; it never acts. A Policy is a pure function from a
// Plan to a Decision. What it is told in Facts it believes: it
// reads no file and knows no clock, no environment and no network.
package control

import "github.com/agent-sidecar/agent-sidecar/tool"

// Verdict is what may happen to a call. Lower is stricter, and the zero value
// denies.
type Verdict int

// The verdicts, strictest first.
const (
	Deny Verdict = iota
	Ask
	Allow
)

// String is the word used in rules and on the wire.
func (v Verdict) String() string {
	switch v {
	case Allow:
		return "allow"
	case Ask:
		return "ask"
	default:
		return "deny"
	}
}

// Rule is one line of permission. The last matching rule wins.
type Rule struct {
	Domain   string `json:"domain"`
	Pattern  string `json:"pattern"`
	Decision string `json:"decision"` // "allow", "deny" or "ask"; anything else counts as ask
	// Workspace limits the rule to one workspace-id.
	Workspace string `json:"workspace,omitempty"`
	// Exact says that Pattern is the object itself and holds no wildcards.
	Exact bool `json:"exact,omitempty"`
	// UnlessReadOnly is for ceilings: what the rule denies may still run in a sandbox in
	// which the whole workspace is read-only. Files and clients cannot say it.
	UnlessReadOnly bool `json:"-"`
	// By is "always" for rules stored by an answer; they form a layer of their own
	// above inline.
	By string `json:"by,omitempty"`
}

// Layer is rules with where they came from: "built-in", "config", "inline",
// "always", "session" or "agent:<name>".
type Layer struct {
	Source string
	Rules  []Rule
	// Narrows says that no rule of this layer may loosen what stands before it:
	// inline configuration that nobody has said yes to.
	Narrows bool
}

// RuleRef names the rule that decided; Index counts within its Source from 0.
type RuleRef struct {
	Pattern string `json:"pattern"`
	Source  string `json:"source"`
	Index   int    `json:"index"`
}

// RuleMatch is a rule that matched a target, whether it won or lost.
type RuleMatch struct {
	Domain   string `json:"domain"`
	Pattern  string `json:"pattern"`
	Decision string `json:"decision"`
	Source   string `json:"source"`
	Index    int    `json:"index"`
	Target   string `json:"target"`
	// Won says that of all rules this one has the word about the target; other
	// steps (Judgement.Steps) may still be stricter. Lost is why it has not.
	Won  bool   `json:"won"`
	Lost string `json:"lost,omitempty"`
	Place
}

// Place is where a rule stands: an absolute file and a line from 1. The zero
// Place is that of rules that stand in no file.
type Place struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// Judgement is what one target of a call came to, step by step.
type Judgement struct {
	Target  tool.Target
	Command bool // a simple command of a script
	Depth   int  // of a command: how deep it stands in wrappers and subshells
	Verdict Verdict
	By      string
	Rule    RuleRef // zero: no rule
	Steps   []Step  // in order; the last one holds
	Matched []RuleMatch
	Decides bool // it is the strictest, so the whole call is decided by it
}

// Step is one part of the chain that had a word about a target: "hard_limit",
// "own", "rules", "files", "trust", "call", "shell", "mode", "agent" or "sandbox".
type Step struct {
	Name    string
	Verdict Verdict
	Reason  string
}

// Offer is a rule that an answer of `always` would store, exactly as shown.
type Offer struct {
	ID        string `json:"id"`
	Pattern   string `json:"pattern"`
	Label     string `json:"label"`
	Workspace string `json:"workspace,omitempty"`
	Rule      Rule   `json:"-"`
	// Rules are all rules the answer stores, where one is not enough: a script
	// of two commands needs two. Rule is the first of them. See Stored.
	Rules []Rule `json:"-"`
}

// Decision is allow, ask or deny, and whose rule said so. The zero Decision
// denies.
type Decision struct {
	Verdict Verdict
	Rule    RuleRef
	By      string // "rule", "default", "mode", "hard_limit", "agent", "sandbox"
	Reason  string // one readable sentence
	Domain  string // of the strictest target
	Risk    string // "read", "write", "execute", "network", "destructive" or "loop"
	Targets []tool.Target
	// Asking are those of Targets that a person is asked about.
	Asking  []tool.Target
	Matched []RuleMatch
	Judged  []Judgement // each target and how it came to its verdict
	Always  []Offer     // narrowest first; empty = not offered
	// OnceOnly says that neither a session grant nor `always` may be offered: the
	// command is dynamic or could not be read.
	OnceOnly bool
	// Refusal is the text the model gets when Verdict is Deny.
	Refusal string
	// Commands is the tree of a script with a verdict a command and, behind them,
	// a file that they name; for previews.
	Commands []CommandVerdict
	// Network says that the command is known to need the network.
	Network bool
	// Git says that the command is known to change a repository.
	Git bool
	// Reads are the sensitive files that the command is judged to read.
	Reads []string
	// Changed are files for which an earlier yes does not cover what asks now.
	Changed []ChangedStart
	// Opens says that a rule that allows the fetched address names its very host,
	// which opens a development server.
	Opens bool
	// Boxed is the sandbox that Allow counts on. Whoever runs the call must not run it in
	// anything weaker.
	Boxed tool.Boxing
}

// CommandVerdict is one simple command of a script, or a file it names ("read
// vault:/a.go"), what comes of it, and because of which rule or for what reason.
type CommandVerdict struct {
	Text    string
	Depth   int
	Verdict Verdict
	Why     string
}

// Policy judges a plan. Decide has no side effects and sees only the plan; what
// else it needs it closes over.
type Policy interface {
	Decide(*tool.Plan) Decision
}

// Strictest judges with every policy and returns the strictest decision; the
// first one wins a tie, except that a yes that counts on a stricter sandbox is stricter.
// Without policies it denies.
func Strictest(ps ...Policy) Policy { return strictest(ps) }

type strictest []Policy

func (ps strictest) Decide(p *tool.Plan) Decision {
	var out Decision
	readOnly := false
	for i, policy := range ps {
		d := policy.Decide(p)
		readOnly = readOnly || d.Boxed == tool.BoxedReadOnly
		if i == 0 || d.Verdict < out.Verdict || d.Verdict == out.Verdict && d.Boxed > out.Boxed {
			out = d
		}
	}
	if readOnly && out.Verdict == Ask { // an answer would be a yes to a sandbox that can write
		return onlyUnasked(out)
	}
	return out
}

// Resolver follows the paths in a command as the kernel would. The Vault implements it.
type Resolver interface {
	// Walk says where path leads seen from dir, which is absolute or "" for the first
	// folder. Neither is clean: with links, only the way itself says what ".." means.
	Walk(dir, path string) tool.Walk
}

// Directories is what a Resolver may also be able to do: say whether an object is a
// directory. Names of the public lists are names of files.
type Directories interface{ Directory(object string) bool }

// Facts is everything a policy may know besides the plan: a snapshot, so that
// a policy is a pure function.
type Facts struct {
	Layers  []Layer  // built-in first, the last match over all of them wins
	Grants  []Rule   // of this session
	Ceiling []Rule   // of the agent; never loosens. nil: no ceiling
	Further [][]Rule // more ceilings of the agent; each holds
	// Bounds are the folder and the sandbox that the agent is held to.
	Bounds  tool.Bounds
	Agent   string
	Mode    string // "agent" or "full_access"
	Trusted bool   // the workspace
	Tainted bool   // untrusted text entered the run
	// NoMemory closes the memory files to the session, but for reading the notes of
	// days: it belongs to a group.
	NoMemory bool
	// Unread is why it is not known what the user's configuration forbids, "" where
	// it is known: then every call asks, also in full access.
	Unread string
	// Offline says that commands have no network unless it is granted to one of
	// them. The zero value says that they may all have it (no sandbox).
	Offline bool
	// GitKept says that commands cannot change a repository unless it is granted to one
	// of them. The zero value says that they all can.
	GitKept   bool
	Workspace string // workspace-id
	Home      string // the sidecar's home, absolute and resolved; reading and editing it is a hard limit
	UserHome  string // the person's home directory
	Roots     []string
	Own       []string // absolute directories of this session's artifacts and transcripts: readable
	Resolver  Resolver
	// Box is what the sandbox keeps here, and whether commands in it are asked about.
	Box Box
	// Accepted is what commands started when somebody said yes to them.
	Accepted Accepted
	// Rules is Layers compiled once, for sessions that decide often. nil:
	// NewPolicy compiles Layers.
	Rules *RuleSet
}

// NewPolicy returns the policy of one session at one moment.
func NewPolicy(f Facts) Policy { return newPolicy(f) }
