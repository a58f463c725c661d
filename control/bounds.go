package control

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// OwnSandbox is what an agent's file takes from the sandbox of its commands. It has
// nothing that gives.
type OwnSandbox struct {
	Confined bool // they run in one or not at all
	Offline  bool // and without a network, whoever allows one
}

// underBounds keeps an agent in the folder and the sandbox that its file names. It is
// a ceiling like `permission`: no rule, mode or answer loosens it.
func (p *policy) underBounds(plan *tool.Plan, v *verdict) {
	if v.hard || v.is == Deny || !p.f.Bounds.Narrow() {
		return
	}
	why := ""
	switch o := objectOf(v.target, v.command); {
	case fileDomain(v.target.Domain):
		if !p.f.mayTouch(o) && !(v.target.Domain == "read" && p.f.isOwn(o)) {
			why = "works only in " + p.f.folder()
		}
	case v.target.Domain == "bash":
		why = p.outOfBounds(plan, v)
	}
	if why == "" {
		return
	}
	v.is, v.by, v.rule, v.skipped = Deny, "agent", RuleRef{}, false
	v.reason = fmt.Sprintf("Denied: the agent %q %s.", p.f.Agent, why)
}

// outOfBounds says what about a command its agent may not have, "" for nothing.
func (p *policy) outOfBounds(plan *tool.Plan, v *verdict) string {
	b := p.f.Bounds
	switch {
	case plan.Needs.Has(tool.NeedUnconfined):
		return "never leaves the sandbox"
	case b.Offline && (plan.Needs.Has(tool.NeedNetwork) || v.command != nil && v.command.Network):
		return "has no network in its commands"
	case len(b.Within) > 0 && (plan.Needs.Has(tool.NeedGit) || v.command != nil && v.command.Git):
		return "works only in " + p.f.folder() + " and changes no repository"
	case !p.startsInside(plan.Dir):
		return "starts its commands only in " + p.f.folder() + " (workdir)"
	}
	return ""
}

func (p *policy) startsInside(dir string) bool {
	if len(p.f.Bounds.Within) == 0 {
		return true
	}
	if p.f.Resolver == nil || dir == "" {
		return false
	}
	objects := p.f.Resolver.Walk(dir, ".").Objects
	return len(objects) > 0 && !slices.ContainsFunc(objects, func(o string) bool { return !p.f.mayTouch(newObject(o)) })
}

// mayTouch says whether an object lies in the folder that the agent works in.
func (f Facts) mayTouch(o object) bool {
	return !slices.ContainsFunc(f.Bounds.Within, func(within string) bool {
		folder := newObject(within)
		return o.scheme != folder.scheme || !o.isVault() || !shell.Inside(path.Join("/", o.rest), path.Join("/", folder.rest))
	})
}

// folder is where the agent works, for people and the model.
func (f Facts) folder() string { return Title(strings.Join(f.Bounds.Within, ", "), 200) }
