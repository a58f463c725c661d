package control

import (
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// commandTree is what comes of each simple command of a script, of each file
// they name and of the text as a whole; nil where nothing is a script.
func commandTree(s *shell.Script, verdicts []verdict) []CommandVerdict {
	if s == nil {
		return nil
	}
	var tree []CommandVerdict
	for i := range verdicts {
		v := &verdicts[i]
		c := CommandVerdict{Verdict: v.is, Why: v.why()}
		switch {
		case v.command != nil:
			c.Text, c.Depth = v.command.Text, v.command.Depth
		case v.target.Domain == tool.DomainBash:
			c.Text = "the text as a whole"
		default:
			c.Text = string(v.target.Domain) + " " + v.target.Object
		}
		tree = append(tree, c)
	}
	return tree
}

// why is the rule that decided about one target, as short as it can be, or the
// reason where none did.
func (v *verdict) why() said.Text {
	switch {
	case v.reason.IsZero() && v.winner != nil && v.winner.source == BuiltIn:
		return said.That("by default")
	case v.reason.IsZero() && v.winner != nil:
		return said.That("%s rule %q", v.winner.source, Title(v.winner.rule.Pattern, 80))
	}
	why := said.Text{Form: "%s", Args: []any{shortly(v.reason)}}
	if words := why.String(); Title(words, 200) != words {
		return said.Plain(Title(words, 200))
	}
	return why
}

// CommandTree has one line for each simple command of a script, indented by
// depth, and each file that it names, with their verdicts. What comes from a model
// is last in its line and never breaks it, so that it cannot pass for a
// verdict.
func CommandTree(commands []CommandVerdict) string {
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "%-5s %s[%s] %s\n", c.Verdict, strings.Repeat("  ", c.Depth), strings.TrimSuffix(c.Why.String(), "."), Title(c.Text, 0))
	}
	return b.String()
}
