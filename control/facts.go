package control

import (
	"path"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/control/paths"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

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
	Mode    tool.Mode
	Trusted bool // the workspace
	Tainted bool // untrusted text entered the run
	// NoMemory closes the memory files to the session, but for reading the notes of
	// days: it belongs to a group.
	NoMemory bool
	// Unread is why it is not known what the user's configuration forbids, "" where
	// it is known: then every call asks, also in full access.
	Unread string
	Scope
	Home     string // the sidecar's home, absolute and resolved; reading and editing it is a hard limit
	UserHome string // the person's home directory
	Roots    []string
	Readables
	Resolver Resolver `json:"-"`
	// Sandbox is what the sandbox keeps here, and whether commands in it are asked about.
	Sandbox Sandbox `json:"-"`
	// Accepted is what commands started when somebody said yes to them.
	Accepted Accepted `json:"-"`
	// Rules is Layers compiled once, for sessions that decide often. nil:
	// NewPolicy compiles Layers.
	Rules *RuleSet `json:"-"`
}

// Readables are absolute directories outside the folders that are readable without a question.
type Readables struct {
	Own    []string // of this session's artifacts and transcripts
	Skills []string // of the person's skills, also resolved: readable but for what may hold secrets
}

// Sandbox is what is known of the sandbox of commands when a call is judged. The zero Sandbox
// keeps nothing from commands and lets none run unasked.
type Sandbox struct {
	Unasked bool // the person wants no question about commands that the sandbox keeps
	Whole   bool // every wall of it can be had here
	// Offline says that commands have no network unless it is granted to one of
	// them. The zero value says that they may all have it (no sandbox).
	Offline bool
	// GitKept says that commands cannot change a repository unless it is granted to one
	// of them. The zero value says that they all can.
	GitKept bool
}

// Keeps says that commands could run without a question here, if the person wants it: every
// wall of the sandbox can be had, nobody else has the word, and what they may change is
// not too much. The mode of a session is not asked about.
func (f Facts) Keeps() bool {
	return f.Sandbox.Whole && f.Sandbox.Offline && f.Trusted && f.Unread == "" && smallPlace(f)
}

// smallPlace says that there are folders, and that none of them holds the person's home.
func smallPlace(f Facts) bool {
	return len(f.Roots) > 0 && !slices.ContainsFunc(f.Roots, func(root string) bool {
		return f.UserHome != "" && paths.Inside(path.Clean(f.UserHome), path.Clean(root))
	})
}
