package control

import (
	"slices"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// sharedNeeds asks about commands that would have the network, or could change a
// repository, unasked, only because another one in the same text is known to need it:
// what allows them alone allows them without.
func sharedNeeds(f *Facts, verdicts []verdict) {
	if f.Sandbox.Offline {
		shared(verdicts, func(c *shell.Command) bool { return c.Network }, said.That("the command would have the network that another one beside it needs"))
	}
	if f.Sandbox.GitKept && slices.ContainsFunc(verdicts, func(v verdict) bool { return v.command != nil && v.command.Git }) {
		shared(verdicts, func(c *shell.Command) bool { return c.Git || c.Known == "git" && len(c.Reaching) == 0 }, said.That("the command would be able to change the repository, which another one beside it needs"))
	}
}

// shared asks about the commands beside one that needs something. What only reads does
// nothing with it, and "*" means it.
func shared(verdicts []verdict, needs func(*shell.Command) bool, why said.Text) {
	needed := slices.ContainsFunc(verdicts, func(v verdict) bool { return v.command != nil && needs(v.command) })
	asked := slices.ContainsFunc(verdicts, func(v verdict) bool { return v.is != Allow })
	if !needed || asked {
		return
	}
	for i := range verdicts {
		v := &verdicts[i]
		c := v.command
		switch {
		case c == nil || needs(c) || c.Wrapper || v.skipped || v.winner == nil || v.winner.pattern.any:
		case (c.OnlyReads() || c.Head == "cd" || c.Head == "pushd") && bareHead(c) && len(c.Reaching) == 0:
		default:
			v.is, v.by, v.once = Ask, "default", true
			v.reason = asks(why)
		}
	}
}
