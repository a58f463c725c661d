package session

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// authority is what a session may do, as far as it depends on its agent, the sessions
// above it, and what a person has said.
type authority struct {
	deps    *Deps
	id      string // of the session
	root    *root
	session *activity
	above   *authority // of the session that sent this one, nil where a person did
}

// facts are what a policy of this session knows now.
func (h *authority) facts(agent config.Agent) control.Facts {
	f := h.root.place().Surroundings.Facts()
	f.Agent, f.Ceiling, f.Further, f.Bounds = agent.Name, agent.Ceiling, slices.Concat(agent.Further, h.root.narrowed.Load().ceilings()), h.root.place().boundsOf(agent)
	f.Own = append(f.Own, h.ownDirs()...)
	f.Accepted = h.deps.Accepted.Snapshot(h.root.id)
	x := h.root.journal.Begin()
	defer x.End()
	f.Grants, f.Tainted, f.NoMemory = x.State.Grants, x.State.Tainted, !private(x.State.Opened, h.root.key)
	if f.Mode = cmp.Or(x.State.Info.Mode, h.deps.modeOfNew()); f.Mode == tool.ModeFullAccess && !h.root.said.fullOn(h.root.place().Runner) {
		f.Mode = x.State.Otherwise()
	}
	return f
}

// policy is what applies to this session now. A sub-agent's call must pass its
// parents' as well.
func (h *authority) policy(agent config.Agent) control.Policy {
	var policies []control.Policy
	for _, f := range h.allFacts(agent) {
		policies = append(policies, control.NewPolicy(f))
	}
	return control.Strictest(policies...)
}

// silent judges what is done in the silent turn without full access, which is given for
// what a person can watch.
func (h *authority) silent(r *run) control.Policy {
	f := h.facts(r.agent)
	if f.Mode == tool.ModeFullAccess {
		f.Mode = tool.ModeAgent
	}
	return control.NewPolicy(f)
}

// allFacts are facts, and those of the sessions above.
func (h *authority) allFacts(agent config.Agent) []control.Facts {
	all := []control.Facts{h.facts(agent)}
	for p := h.above; p != nil; p = p.above {
		all = append(all, p.facts(p.session.agent()))
	}
	return all
}

// readable is policy for reads alone, without the words.
func (h *authority) readable(agent config.Agent, base string) func(object string) bool {
	return control.Reading(h.allFacts(agent)).May(base)
}

// ID implements ToolOwner.
func (h *authority) ID() string { return h.id }

// MayRead implements ToolOwner.
func (h *authority) MayRead(base string) func(object string) bool {
	return h.readable(h.session.agent(), base)
}

// Reading implements ToolOwner.
func (h *authority) Reading() control.Reading {
	return control.ReadingOf(h.allFacts(h.session.agent())...)
}

// JudgeFetch implements ToolOwner.
func (h *authority) JudgeFetch(object string) control.Decision {
	plan := &tool.Plan{Tool: "web_fetch", Effect: tool.Net, Targets: []tool.Target{{Domain: tool.DomainWebFetch, Object: object}}}
	return h.policy(h.session.agent()).Decide(plan)
}

// seesAll says that an agent of this session may read a file by each of its names
// without asking anybody.
func (h *authority) seesAll(agent string, objects []string) bool {
	a, ok := h.deps.agent(agent, "")
	if !ok || len(objects) == 0 {
		return false
	}
	may := h.readable(a, "")
	return !slices.ContainsFunc(objects, func(object string) bool { return !may(object) })
}

// mayCite says what a sub-agent may read without asking anybody: nothing else can
// it prove.
func (h *authority) mayCite(name string) func(object string) bool {
	agent, ok := h.deps.agent(name, "subagent")
	may := h.readable(agent, "")
	return func(object string) bool { return ok && may(object) }
}

// ownDirs are where this session may read although it is not the Vault: its own
// artifacts and transcripts, and messages that were too long to show.
func (h *authority) ownDirs() []string {
	return append(h.root.place().Artifacts.ArtifactDirs(h.root.id), filepath.Join(h.root.dir, history.TranscriptFolder), filepath.Join(h.root.dir, history.BlobFolder))
}

// heldTo is what holds what a run starts: a sub-agent is held to what holds those
// who sent it, too.
func (h *authority) heldTo(agent config.Agent) tool.Bounds {
	b := h.root.place().boundsOf(agent)
	for p := h.above; p != nil; p = p.above {
		b = b.And(h.root.place().boundsOf(p.session.agent()))
	}
	return b
}

// looks says that the commands of a run find the whole workspace read-only: because of its
// agent, or of one that sent it.
func (h *authority) looks(agent config.Agent) bool {
	for p := h.above; p != nil; p = p.above {
		if p.session.agent().RunsReadOnly() {
			return true
		}
	}
	return agent.RunsReadOnly()
}
