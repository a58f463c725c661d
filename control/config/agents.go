package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
)

// Params are what a request may say about sampling; nil means: not sent. The
// fields are those of the model package's type, so that one converts to the
// other.
type Params struct {
	Temperature *float64 `json:"temperature,omitempty"`
	TopP        *float64 `json:"topP,omitempty"`
	MaxTokens   *int64   `json:"maxTokens,omitempty"`
	Effort      string   `json:"reasoningEffort,omitempty"` // how much the model may think; "" is not said
}

// Efforts are how much a model may be told to think, the least first.
var Efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh"}

// Agent is a profile: a prompt with a tool set and a ceiling. The zero Agent
// may use every tool that the rules allow.
type Agent struct {
	Name        string
	Description string // what it is, for people and for `task`
	Use         string // when to send it, for `task`
	Mode        string // "primary" (a person talks to it) or "subagent"
	// ReadOnly says that it changes nothing, so that surfaces can show it.
	// Ceiling is what enforces it.
	ReadOnly bool
	Tools    []string // names; nil means all, empty none
	// Ceiling is the strictest that this agent may ever be allowed: no other rule,
	// mode or answer loosens it. nil: none.
	Ceiling []control.Rule
	// Further are more ceilings, and each holds: one list of rules cannot say
	// what two lists say together.
	Further [][]control.Rule
	Prompt  string // added to the system prompt
	Model   string // where neither the run nor the session names one
	Params  Params
	// AllowedModels are the only ones it may work with; nil: any.
	AllowedModels []string
	Fallback      []string // instead of the configured chain; nil: that one
	Budget
	Upkeep
	// Workspace is the folder that it works in, as the file names it: a path from
	// the first workspace folder, or an object of a further one. "": all of them.
	Workspace string
	Sandbox   control.OwnSandbox
	// Keys are the kinds of session that it works in: main, dm, group. nil: all.
	Keys []string
	File string // the user's file behind it, "" for a built-in one
}

// Upkeep is how the sessions of an agent are kept small.
type Upkeep struct {
	Reset      string // when they give up their key; "" = the configured policy
	Compaction OwnCompaction
	NoFlush    bool // runs do not write memory down before a summary (memoryFlush: false)
}

// Budget is what a run of an agent may use.
type Budget struct {
	MaxTurns     int     // 0 = the configured number
	WallMs       int64   // 0 = the configured time
	BudgetTokens int64   // 0 = the configured number
	BudgetCost   float64 // in USD; 0 = none
	// Budgets are for what its runs find spent by the session and on the day, by whatever
	// agent; 0 = the configured ones.
	Budgets Budgets
}

// Primary says that people talk to it.
func (a Agent) Primary() bool { return a.Mode == "primary" }

// RunsReadOnly says that its commands run only where the whole workspace is read-only.
func (a Agent) RunsReadOnly() bool {
	return control.RunsReadOnly(append([][]control.Rule{a.Ceiling}, a.Further...)...)
}

// MayUse says whether the agent may work with a model, by its full name or by
// what is behind the provider.
func (a Agent) MayUse(model string) bool {
	_, bare, _ := strings.Cut(model, "/")
	return a.AllowedModels == nil || slices.Contains(a.AllowedModels, model) || bare != "" && slices.Contains(a.AllowedModels, bare)
}

// exploreTools are the tools of the built-in explorer.
var exploreTools = []string{"read", "ls", "glob", "grep", "symbols", "references"}

// The built-in agents that people talk to. PlanAgent hands its plan to BuildAgent.
const (
	BuildAgent = "build"
	PlanAgent  = "plan"
)

// Plans says that the agent ends with a plan that a person accepts.
func (a Agent) Plans() bool { return a.Name == PlanAgent && a.File == "" }

// BuiltInAgents returns build, plan, explore and compaction, in this order. The
// first is the default.
func BuiltInAgents() []Agent {
	return []Agent{
		{
			Name: BuildAgent, Mode: "primary",
			Description: "Works on the task: reads, changes files and runs commands, asking before anything risky.",
		},
		{
			Name: PlanAgent, Mode: "primary", ReadOnly: true, Ceiling: control.BuiltInCeiling(PlanAgent),
			Description: "Investigates and answers with a plan; it cannot change anything.",
			Prompt:      "Investigate and answer with a plan. You cannot change files; commands run only where the workspace is read-only.",
		},
		{
			Name: "explore", Mode: "subagent", ReadOnly: true, Tools: slices.Clone(exploreTools),
			Ceiling:     control.BuiltInCeiling("explore"),
			Description: "a read-only scout that searches the workspace and answers with conclusions and path:line evidence",
			Use:         "finding where something is, how parts fit together, or what a large output says",
		},
		{
			Name: "compaction", Mode: "subagent", ReadOnly: true, Tools: []string{}, Ceiling: control.BuiltInCeiling("compaction"),
			Description: "summarises a conversation; it has no tools",
			Budget:      Budget{MaxTurns: 1},
		},
	}
}

// TaskDescription lists sub-agents for the `task` tool, one line each. Agents
// without a description are listed by their name alone.
func TaskDescription(agents []Agent) string {
	var lines []string
	for _, a := range agents {
		line := fmt.Sprintf(`task(agent="%s", prompt="…")`, a.Name)
		if a.Description != "" {
			line += ": " + control.Title(a.Description, 400)
		}
		if a.Use != "" {
			line += "; use for " + control.Title(a.Use, 400)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// UnknownAgent is the text for a `task` to an agent that does not exist, without
// the "Error: " that a failed result begins with.
func UnknownAgent(name string, agents []Agent) string {
	var names []string
	for _, a := range agents {
		names = append(names, a.Name)
	}
	if len(names) == 0 {
		names = []string{"none"}
	}
	return fmt.Sprintf("unknown agent %q; available: %s", name, strings.Join(names, ", "))
}
