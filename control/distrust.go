package control

import (
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// distrust asks where foreign text entered the run or the folder is not
// trusted. What is asked because of such text is asked each time: the grant of
// a moment ago may be what the text is after. In an untrusted folder a person's
// own answer for this session applies to exactly what it was about.
func (j *judge) distrust(v *verdict, plan *tool.Plan, o object, winner *compiled, network bool) {
	if why := j.taintAsks(v, plan, o, winner, network); !why.IsZero() {
		v.once = v.target.Domain != tool.DomainWebFetch // there a grant names the host itself
		if v.is == Allow {
			v.is, v.by, v.reason = Ask, "default", asks(why)
		}
		return
	}
	switch {
	case v.is == Allow && j.f.Unread != "" && (winner == nil || winner.source != "session"):
		v.is, v.by, v.reason = Ask, "default", asks(said.That("it is not known what the configuration forbids, because %s", j.f.Unread))
	case v.is != Allow || j.f.Trusted || v.target.Domain == tool.DomainRead:
	case winner != nil && winner.source == "session":
	default:
		v.is, v.by, v.reason = Ask, "default", asks(said.That("this workspace is not trusted yet"))
	}
}

// taintAsks says why a target is asked about once text from the web or from an
// MCP server is part of the conversation, "" where that makes no difference.
func (j *judge) taintAsks(v *verdict, plan *tool.Plan, o object, winner *compiled, network bool) (why said.Text) {
	if !j.f.Tainted {
		return why
	}
	switch {
	case v.target.Domain == tool.DomainBash && (network || !j.f.Sandbox.Offline):
		return said.That("text from outside entered the run and the command can use the network")
	case v.target.Domain == tool.DomainWebFetch && !namesHost(winner, o):
		return said.That("text from outside entered the run and no rule names this host")
	case v.target.Domain == tool.DomainEdit && (guardedEdit(j.f.Resolver, plan, o) || plan.Tool == "memory"):
		return said.That("text from outside entered the run and %s steers later runs", nameOf(v.target))
	}
	return why
}
