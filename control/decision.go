// Package control decides; it never acts. A Policy is a pure function from a
// Plan to a Decision. What it is told in Facts it believes: it
// reads no file and knows no clock, no environment and no network.
package control

import (
	"github.com/agent-sidecar/agent-sidecar/tool"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// Decision is allow, ask or deny, and whose rule said so. The zero Decision
// denies.
type Decision struct {
	Verdict Verdict
	Rule    RuleRef
	By      string      // "rule", "default", "mode", "hard_limit", "agent", "sandbox"
	Reason  said.Text   // one readable sentence
	Domain  tool.Domain // of the strictest target
	Risk    string      // "read", "write", "execute", "network", "destructive" or "loop"
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
	// Sandbox is the one that Allow counts on. Anyone who runs the call must not run it in
	// anything weaker.
	Sandbox tool.Sandboxing
}

// Located is a copy of the decision in which every rule says where it is.
// place knows the rules of a source by their index.
func (d Decision) Located(place func(source string, index int) Place) Decision {
	locate := func(all []RuleMatch) []RuleMatch {
		out := make([]RuleMatch, len(all))
		for i, m := range all {
			m.Place = place(m.Source, m.Index)
			out[i] = m
		}
		return out
	}
	d.Matched = locate(d.Matched)
	judged := make([]Judgement, len(d.Judged))
	for i, j := range d.Judged {
		j.Matched = locate(j.Matched)
		judged[i] = j
	}
	d.Judged = judged
	return d
}

// BySandbox is Decision.By of a command that nobody was asked about because the
// sandbox keeps it. Anyone who runs it must not run it in anything weaker.
const BySandbox = "sandbox"

// RuleMatch is a rule that matched a target, whether it won or lost.
type RuleMatch struct {
	Domain   tool.Domain `json:"domain"`
	Pattern  string      `json:"pattern"`
	Decision string      `json:"decision"`
	Source   string      `json:"source"`
	Index    int         `json:"index"`
	Target   string      `json:"target"`
	// Won says that this rule decided the target, as far as rules do; other steps
	// (Judgement.Steps) may still be stricter. Lost is why it did not.
	Won  bool   `json:"won"`
	Lost string `json:"lost,omitempty"`
	Place
}

// Place is where a rule stands: an absolute file and a line from 1. The zero
// Place is that of rules that are in no file.
type Place struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// Judgement is what one target of a call came to, step by step.
type Judgement struct {
	Target  tool.Target
	Command bool // a simple command of a script
	Depth   int  // of a command: how deep it is in wrappers and subshells
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
	Reason  said.Text
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

// CommandVerdict is one simple command of a script, or a file it names ("read
// vault:/a.go"), what comes of it, and because of which rule or for what reason.
type CommandVerdict struct {
	Text    string
	Depth   int
	Verdict Verdict
	Why     said.Text
}

// ChangedStart is a file for which a rule from an answer does not cover a command.
type ChangedStart struct {
	Object string
	Was    string // its hash when a person said yes, "" where it was not part of that
}
