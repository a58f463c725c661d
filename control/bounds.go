package control

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/paths"
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
func underBounds(f *Facts, plan *tool.Plan, v *verdict) {
	if v.hard || v.is == Deny || !f.Bounds.Narrow() {
		return
	}
	why := ""
	switch o := objectOf(v.target, v.command); {
	case fileDomain(v.target.Domain):
		if !f.mayTouch(o) && !(v.target.Domain == "read" && f.isOwn(o)) {
			why = "works only in " + f.folder()
		}
	case v.target.Domain == "bash":
		why = outOfBounds(f, plan, v)
	}
	if why == "" {
		return
	}
	v.is, v.by, v.rule, v.skipped = Deny, "agent", RuleRef{}, false
	v.reason = fmt.Sprintf("Denied: the agent %q %s.", f.Agent, why)
}

// outOfBounds says what about a command its agent may not have, "" for nothing.
func outOfBounds(f *Facts, plan *tool.Plan, v *verdict) string {
	b := f.Bounds
	switch {
	case plan.Needs.Has(tool.NeedUnconfined):
		return "never leaves the sandbox"
	case b.Offline && (plan.Needs.Has(tool.NeedNetwork) || v.command != nil && v.command.Network):
		return "has no network in its commands"
	case len(b.Within) > 0 && (plan.Needs.Has(tool.NeedGit) || v.command != nil && v.command.Git):
		return "works only in " + f.folder() + " and changes no repository"
	case !startsInside(f, plan.Dir):
		return "starts its commands only in " + f.folder() + " (workdir)"
	}
	return ""
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

// mayTouch says whether an object lies in the folder that the agent works in.
func (f Facts) mayTouch(o object) bool {
	return !slices.ContainsFunc(f.Bounds.Within, func(within string) bool {
		folder := newObject(within)
		return o.scheme != folder.scheme || !o.isVault() || !paths.Inside(path.Join("/", o.rest), path.Join("/", folder.rest))
	})
}

// folder is where the agent works, for people and the model.
func (f Facts) folder() string { return Title(strings.Join(f.Bounds.Within, ", "), 200) }
