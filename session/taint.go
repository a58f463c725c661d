package session

import (
	"slices"

	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// taints says whether what a call gives back may contain text from outside, without
// the tool saying so in its Result: what the call touches is enough, and a command
// that is known to use the network, or was let out of the sandbox, brings what
// the network says.
func taints(j *invocation) bool {
	if j.authorized.decision.Network || j.plan.Needs.Has(tool.NeedNetwork) || j.plan.Needs.Has(tool.NeedUnconfined) {
		return true
	}
	return slices.ContainsFunc(j.plan.Targets, func(t tool.Target) bool {
		return t.Domain == tool.DomainWebFetch || t.Domain == tool.DomainWebSearch || t.Domain == tool.DomainMCP
	})
}

// taint remembers, before the text itself is recorded, that it is part of the
// conversation from now on. It applies to the whole session, also for its
// sub-agents, over a summary, which was made of that text, and over a restart:
// nothing takes the text out of the conversation again. In full access nobody is
// asked, so the audit says it in every mode.
func (l *caller) taint(r *run, j *invocation) {
	root, tainted := l.root, true
	x := root.journal.Begin()
	if x.State.Tainted {
		x.End()
		return
	}
	err := x.Append(root.runOf(l.session, r), history.Changed{Tainted: &tainted})
	root.said.touch()
	x.End()
	if err != nil {
		r.cancel(journal.Unwritable(err))
	}
	_ = l.auditor.write(audit.Entry{ // has been reported; from now on each call is asked about, or audited as full access
		RunID: r.id, Mode: l.authority.facts(r.agent).Mode, Decision: "taint", Domain: j.authorized.decision.Domain,
		Targets: objectsOf(j.authorized.decision.Targets), By: "default", CallID: j.call.CallID,
	})
}
