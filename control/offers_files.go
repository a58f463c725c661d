package control

import (
	"path"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/paths"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// fileOffers store the directories that a call looks through, with what is in
// them; else the files, then, for one ordinary file outside, its folder. A rule for a
// directory alone would answer the same search once more and leave out all that it
// is about. A yes is for this workspace; for every folder only where no name is one of
// those that ask: `vault:/.env` is another file in each folder.
func (of *offering) fileOffers(plan *tool.Plan, asking []verdict) []Offer {
	if plan.Below && !slices.ContainsFunc(asking, func(v verdict) bool { return !of.mayOpenBelow(v.target) }) {
		var rules []Rule
		for _, v := range asking {
			rules = append(rules, Rule{Domain: v.target.Domain, Pattern: allBelow(v.target.Object)})
		}
		return of.hereAndEverywhere(asking, rules)
	}
	var rules []Rule
	for _, v := range asking {
		rules = append(rules, Rule{Domain: v.target.Domain, Pattern: v.target.Object, Exact: true})
	}
	out := of.hereAndEverywhere(asking, rules)
	if plan.Below || len(asking) > 1 || of.f.Workspace == "" {
		return out
	}
	t := asking[0].target
	folder := tool.Target{Domain: t.Domain, Object: "fs:" + path.Dir("/"+newObject(t.Object).rest)}
	if !strings.HasPrefix(t.Object, "fs:") || asksByName(t) || strings.Count(folder.Object, "/") < 2 || !of.mayOpenBelow(folder) {
		return out
	}
	return append(out, offer(of.f.Workspace, Rule{Domain: t.Domain, Pattern: allBelow(folder.Object)}))
}

// hereAndEverywhere offers the rules for this workspace, then for every folder.
func (of *offering) hereAndEverywhere(asking []verdict, rules []Rule) []Offer {
	var out []Offer
	if of.f.Workspace != "" { // else there is nothing to bind them to
		out = append(out, offer(of.f.Workspace, slices.Clone(rules)...))
	}
	if slices.ContainsFunc(asking, func(v verdict) bool { return asksByName(v.target) }) {
		return out
	}
	return append(out, offer("", rules...))
}

// asksByName says that the name alone is a reason to ask.
func asksByName(t tool.Target) bool {
	return sensitive(t.Object) || IsProtected(t.Object) || t.Domain == tool.DomainEdit && hasDotName(newObject(t.Object).rest)
}

// mayOpenBelow says whether one answer may open all that is below a directory
// outside. Not the disk or the home directory, nor what is around it; not what
// programs keep in the home directory in hidden places, where keys and tokens are and
// no name tells; not what the kernel shows of processes and devices; and nothing that
// somebody wanted to be asked about, because a stored yes beats that. What is
// sensitive below it asks all the same, and the sidecar's home is closed.
func (of *offering) mayOpenBelow(t tool.Target) bool {
	o := newObject(t.Object)
	dir := strings.ToLower(path.Clean("/" + o.rest))
	switch {
	case o.scheme != "fs", strings.ContainsAny(dir, `*?[{\`), sensitive(t.Object):
		return false
	case dir == "/", strings.HasSuffix(dir, ":"): // a drive
		return false
	case slices.ContainsFunc([]string{"/proc", "/sys", "/dev", "/run", "/var/run"}, func(k string) bool { return paths.Inside(dir, k) }):
		return false
	}
	for _, home := range of.homes() {
		rest, below := strings.CutPrefix(dir, home+"/")
		if paths.Inside(home, dir) || below && (strings.HasPrefix(rest, ".") || paths.Inside(rest, "library")) {
			return false
		}
	}
	for _, s := range of.rules {
		rules := s.byDomain[t.Domain]
		if slices.ContainsFunc(rules, func(c compiled) bool {
			return c.verdict == Ask && c.source != BuiltIn && c.source != "settings" && (c.bad || c.pattern.mayReachBelow(dir))
		}) {
			return false
		}
	}
	return true
}

// homes are the spellings of the person's home directory, in lower case.
func (of *offering) homes() []string {
	if of.f.UserHome == "" {
		return nil
	}
	out := []string{strings.ToLower(path.Clean(of.f.UserHome))}
	if of.f.Resolver != nil {
		for _, o := range of.f.Resolver.Walk("/", of.f.UserHome).Objects {
			out = append(out, strings.ToLower(of.f.absolute(newObject(o))[0]))
		}
	}
	return out
}

// mayReachBelow says whether the pattern of a rule that asks could match a file
// below a directory outside, in lower case; where that is not plain it says yes.
func (p pattern) mayReachBelow(dir string) bool {
	switch {
	case p.scheme != "" && p.scheme != "fs", strings.HasPrefix(p.exact, "vault"):
		return false
	case p.exact != "":
		return paths.Inside(strings.ToLower("/"+newObject(p.exact).rest), dir)
	case p.glob == "":
		return true
	}
	start := strings.ToLower(p.glob)
	if i := strings.IndexAny(start, `*?[{\`); i >= 0 {
		start = start[:i]
	}
	below := strings.TrimPrefix(dir, "/") + "/"
	return strings.HasPrefix(below, start) || strings.HasPrefix(start, below)
}
