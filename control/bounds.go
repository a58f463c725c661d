package control

import (
	"path"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/paths"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// OwnSandbox is what an agent's file takes from the sandbox of its commands. It has
// nothing that gives.
type OwnSandbox struct {
	Confined bool // they run in one or not at all
	Offline  bool // and without a network, no matter who allows one
}

// underBounds keeps an agent in the folder and the sandbox that its file names. It is
// a ceiling like `permission`: no rule, mode or answer loosens it.
func underBounds(f *Facts, plan *tool.Plan, v *verdict) {
	if v.hard || v.is == Deny || !f.Bounds.Narrow() {
		return
	}
	var why said.Text
	switch o := objectOf(v.target, v.command); {
	case fileDomain(v.target.Domain):
		if !f.mayTouch(o) && !(v.target.Domain == tool.DomainRead && f.isOwn(o)) {
			why = said.That("the agent %q works only in %s", f.Agent, f.folder())
		}
	case v.target.Domain == tool.DomainBash:
		why = outOfBounds(f, plan, v)
	}
	if why.IsZero() {
		return
	}
	v.is, v.by, v.rule, v.skipped = Deny, "agent", RuleRef{}, false
	v.reason = denied(why)
}

// outOfBounds says what about a command its agent may not have, if anything.
func outOfBounds(f *Facts, plan *tool.Plan, v *verdict) (why said.Text) {
	b := f.Bounds
	agent := f.Agent
	switch {
	case plan.Needs.Has(tool.NeedUnconfined):
		return said.That("the agent %q never leaves the sandbox", agent)
	case b.Offline && (plan.Needs.Has(tool.NeedNetwork) || v.command != nil && v.command.Network):
		return said.That("the agent %q has no network in its commands", agent)
	case len(b.Within) > 0 && (plan.Needs.Has(tool.NeedGit) || v.command != nil && v.command.Git):
		return said.That("the agent %q works only in %s and changes no repository", agent, f.folder())
	case !startsInside(f, plan.Dir):
		return said.That("the agent %q starts its commands only in %s (workdir)", agent, f.folder())
	}
	return why
}

func startsInside(f *Facts, dir string) bool {
	if len(f.Bounds.Within) == 0 {
		return true
	}
	if f.Resolver == nil || dir == "" {
		return false
	}
	objects := f.Resolver.Walk(dir, ".").Objects
	return len(objects) > 0 && !slices.ContainsFunc(objects, func(o string) bool { return !f.mayTouch(newObject(o)) })
}

// mayTouch says whether an object is in the folder that the agent works in.
func (f Facts) mayTouch(o object) bool {
	return !slices.ContainsFunc(f.Bounds.Within, func(within string) bool {
		folder := newObject(within)
		return o.scheme != folder.scheme || !o.isVault() || !paths.Inside(path.Join("/", o.rest), path.Join("/", folder.rest))
	})
}

// folder is where the agent works, for people and the model.
func (f Facts) folder() string { return Title(strings.Join(f.Bounds.Within, ", "), 200) }
