package control

import (
	"path"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/paths"
	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// wholeCommand reads what the command of a plan would do, and judges it.
func (j *judge) wholeCommand(plan *tool.Plan, verdicts []verdict) (*shell.Script, []verdict) {
	w := newWalks(j.f)
	s := shell.Analyze(plan.Command, shell.Place{
		Dir: plan.Dir, Home: j.f.UserHome, Roots: j.f.Roots, Protected: IsProtected, Hidden: hidden, Program: j.isProgram, Planted: j.isPlanted, Walk: w.forShell,
	})
	return s, append(verdicts, j.script(plan, s, w)...)
}

// isProgram says that an absolute path is just what its base name finds in the PATH
// of commands, outside of every folder of the workspace.
func (j *judge) isProgram(name string) bool {
	f, ok := j.f.Resolver.(Finder)
	if !ok {
		return false
	}
	found := f.Program(path.Base(name))
	w := j.f.Resolver.Walk("/", name)
	plain := !strings.Contains(name, "//") && !strings.Contains(name, "/.")
	if found == "" || found != name && !(plain && w.End() != "" && w.End() == j.f.Resolver.Walk("/", found).End()) { // /bin may be a link to /usr/bin
		return false
	}
	return w.Exists && w.Unknown == "" && !slices.ContainsFunc(w.Objects, func(o string) bool { return !strings.HasPrefix(o, "fs:") })
}

// isPlanted says that PATH finds a bare name where commands may put another program, and
// whether that one is in front of another.
func (j *judge) isPlanted(name string) (planted, shadows bool) {
	f, ok := j.f.Resolver.(Finder)
	if !ok {
		return false, false
	}
	return f.Planted(name)
}

// script judges a command text: every simple command, then every file it names,
// then what is doubtful about the text as a whole.
func (j *judge) script(plan *tool.Plan, s *shell.Script, w *walks) []verdict {
	whole := tool.Target{Domain: tool.DomainBash, Object: "shell:" + plan.Command}
	switch {
	case s.Invalid != "":
		v := verdict{target: whole, by: "default", reason: said.That("Refused: %s.", s.Invalid), unread: true, risk: "execute"}
		v.step("shell")
		return []verdict{v}
	case s.HardLimit != "":
		v := verdict{target: whole, by: "hard_limit", hard: true, reason: said.Plain(s.HardLimit), risk: "destructive"}
		v.step("hard_limit")
		return []verdict{v}
	}
	outside := func(dir string) bool {
		return !slices.ContainsFunc(j.f.Roots, func(root string) bool { return paths.Inside(dir, path.Clean(root)) })
	}
	if plan.Dir != "" && len(j.f.Roots) > 0 && slices.ContainsFunc(append(w.to("/", plan.Dir).Paths, path.Clean(plan.Dir)), outside) {
		// A directory outside is something the command looks at.
		s.Uses = append(s.Uses, shell.Use{Domain: "read", Word: plan.Dir, Redirect: true})
	}
	files, direct := fileTargets(j.f, s, w)
	network := s.Network || plan.Needs.Has(tool.NeedNetwork)
	var out []verdict
	for _, c := range s.Commands {
		c.ReadsTree = c.ReadsTree || j.comparesFolders(s, c, w)
		out = append(out, j.command(plan, s, c, network)...)
	}
	for _, t := range files {
		if t.Domain == tool.DomainRead && slices.Contains(plan.Targets, t) {
			continue // the call names it itself
		}
		o := objectOf(t, nil)
		o.direct = direct[t]
		out = append(out, j.judgeObject(plan, t, o, nil, false))
	}
	if len(s.Uncertain) > 0 {
		v := verdict{target: whole, is: Ask, by: "default", reason: shellAsks(s.Uncertain), unread: true, risk: "execute"}
		v.step("shell")
		out = append(out, v)
	}
	return out
}

// comparesFolders says that diff is given two directories: it prints what differs in all
// files in them.
func (j *judge) comparesFolders(s *shell.Script, c *shell.Command, w *walks) bool {
	d, ok := j.f.Resolver.(Directories)
	if !ok || path.Base(c.Head) != "diff" {
		return false
	}
	folders := 0
	for _, a := range c.Args {
		word, known := a.Text()
		if !known || strings.HasPrefix(word, "-") {
			continue
		}
		if slices.ContainsFunc(append(slices.Clone(s.Dirs), "/"), func(dir string) bool {
			return slices.ContainsFunc(w.to(dir, word).Objects, d.Directory)
		}) {
			folders++
		}
	}
	return folders > 1
}
