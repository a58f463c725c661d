package control

import (
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Accepted is what files held when a person said yes, for longer than once, to a
// command that starts them. A rule from such an answer covers the command as long as
// they hold the same, or only somebody else than the agent has changed them.
type Accepted struct {
	Session string // whose grants they are
	Files   map[AcceptedRule]map[string]AcceptedFile
	// Unsettled says that something runs which may be changing files: what is not as
	// it was counts as changed by the agent.
	Unsettled bool
}

// AcceptedRule names a rule that came from an answer.
type AcceptedRule struct {
	By      string // "always", or the session whose grant it is
	Pattern string
}

// AcceptedFile is a file as it was when a person said yes.
type AcceptedFile struct {
	Hash    string `json:"hash"`              // hex sha256 of what counts of it
	Changed bool   `json:"changed,omitempty"` // the agent has changed it since, or may have
}

// Always is the name that an answer of `always` has for pattern, Granted that of an
// answer of `session`.
func Always(pattern string) AcceptedRule { return AcceptedRule{"always", pattern} }

// Granted names the rule of an answer of `session`.
func Granted(session, pattern string) AcceptedRule { return AcceptedRule{session, pattern} }

// starting is a command with the files that it starts, to be held against what people
// have said yes to.
type starting struct {
	*Accepted
	command string
	started []tool.StartedFile // of all commands of the script
}

// unaccepted says why a rule from an answer does not cover what the command starts,
// nothing where it does, and for every other rule.
func (a *starting) unaccepted(c *compiled) (why said.Text) {
	if !c.answered() || c.verdict != Allow {
		return why
	}
	files := a.Files[a.nameOf(c)]
	for _, f := range a.started {
		if f.Command != a.command {
			continue
		}
		if f.Object == "" {
			return said.That("it starts more files than an answer can cover")
		}
		switch was, known := files[f.Object]; {
		case !known:
			return said.That("%s, which it starts, was not part of what you allowed", Title(PlainName(f.Object), 120))
		case was.Hash == f.Hash:
		case was.Changed || a.Unsettled:
			return said.That("%s, which it starts, has changed since you allowed it", Title(PlainName(f.Object), 120))
		}
	}
	return why
}

// changed are the files that unaccepted speaks of.
func (a *starting) changed(c *compiled) (out []ChangedStart) {
	files := a.Files[a.nameOf(c)]
	for _, f := range a.started {
		was, known := files[f.Object]
		if f.Command == a.command && f.Object != "" && (!known || was.Hash != f.Hash && (was.Changed || a.Unsettled)) {
			out = append(out, ChangedStart{f.Object, was.Hash})
		}
	}
	return out
}

// nameOf is the name of a rule that came from an answer.
func (a *Accepted) nameOf(c *compiled) AcceptedRule {
	if c.source == "session" {
		return Granted(a.Session, c.rule.Pattern)
	}
	return Always(c.rule.Pattern)
}
