package control

import (
	"path"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// read says what the command of a plan would do.
func (p *policy) read(plan *tool.Plan) *shell.Script {
	return shell.Analyze(plan.Command, shell.Place{Dir: plan.Dir, Home: p.f.UserHome, Roots: p.f.Roots, Protected: IsProtected, Hidden: hidden})
}

// script judges a command text: every simple command, then every file it names,
// then what is doubtful about the text as a whole.
func (p *policy) script(plan *tool.Plan, s *shell.Script) []verdict {
	whole := tool.Target{Domain: "bash", Object: "shell:" + plan.Command}
	switch {
	case s.Refused != "":
		v := verdict{target: whole, by: "default", reason: "Refused: " + s.Refused + ".", risk: "execute"}
		v.step("shell")
		return []verdict{v}
	case s.Blocked != "":
		v := verdict{target: whole, by: "hard_limit", hard: true, reason: s.Blocked, risk: "destructive"}
		v.step("hard_limit")
		return []verdict{v}
	}
	if plan.Dir != "" && len(p.f.Roots) > 0 && !slices.ContainsFunc(p.f.Roots, func(root string) bool { return shell.Inside(path.Clean(plan.Dir), path.Clean(root)) }) {
		// A directory outside is something the command looks at.
		s.Uses = append(s.Uses, shell.Use{Domain: "read", Word: path.Clean(plan.Dir), Redirect: true})
	}
	files := fileTargets(p.f, s)
	network := s.Network || plan.Needs == "network"
	var out []verdict
	for _, c := range s.Commands {
		out = append(out, p.target(plan, tool.Target{Domain: "bash", Object: "shell:" + c.Text}, c, network))
	}
	for _, t := range files {
		out = append(out, p.target(plan, t, nil, false))
	}
	if len(s.Doubts) > 0 {
		v := verdict{target: whole, is: Ask, by: "default", reason: "The shell text asks: " + strings.Join(s.Doubts, "; ") + ".", risk: "execute"}
		v.step("shell")
		out = append(out, v)
	}
	return out
}
