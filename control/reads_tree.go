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

// maxSwept is how many files below a directory are shown as targets of a command that
// reads all of it; further ones would say nothing new.
const maxSwept = 20

// command judges one simple command. A rule that a person wrote with a wildcard covers
// reading whole directories, because a person who writes "grep *" means "grep -r", too.
// It does not mean the secrets in them: what would be asked about by itself is a target
// of the command, and so is what git prints of the files that it keeps. A yes to a
// question was said about a command that was shown, and is never so wide.
func (j *judge) command(plan *tool.Plan, s *shell.Script, c *shell.Command, network bool) []verdict {
	t := tool.Target{Domain: tool.DomainBash, Object: "shell:" + c.Text}
	if _, ok := j.f.Resolver.(Searcher); !ok {
		c.Search = nil
	}
	v := j.target(plan, t, c, network)
	if v.winner == nil || v.winner.verdict != Allow || v.winner.pattern.exact != "" {
		return []verdict{v}
	}
	var files []verdict
	if c.ReadsTree && c.Search != nil {
		var ok bool
		if files, ok = j.swept(plan, s, c); !ok {
			c.Search = nil
			return []verdict{j.target(plan, t, c, network)}
		}
	}
	if c.Prints != nil {
		kept, ok := j.printed(plan, s, c)
		if !ok && v.is == Allow {
			v.is, v.by, v.reason = Ask, "default", asks(said.That("it is not known which files git would print, and sensitive ones may be among them"))
			v.step("files")
		}
		files = append(files, kept...)
	}
	return append([]verdict{v}, files...)
}

// swept are the files that a command reads without naming them, and that nobody may read
// unasked, strictest first.
func (j *judge) swept(plan *tool.Plan, s *shell.Script, c *shell.Command) (out []verdict, ok bool) {
	asked, all := j.asked(plan), []string(nil)
	for _, w := range c.Search.Words {
		for _, dir := range dirsOf(s) {
			names, complete := j.named(dir, w)
			if !complete {
				return nil, false
			}
			for _, name := range names {
				objects, complete := j.f.Resolver.(Searcher).Below(dir, name, c.Search.Follows, c.Search.Only, asked)
				if !complete {
					return nil, false
				}
				all = append(all, objects...)
			}
		}
	}
	return j.strictest(plan, all), true
}

// asked says of an object whether somebody wants to be asked before it is read. Of a file
// of the workspace only its name says so where nobody wrote rules about reading.
func (j *judge) asked(plan *tool.Plan) func(object string) bool {
	quick := *j
	quick.verdictOnly = true
	byName := !j.f.NoMemory && !slices.ContainsFunc(j.rules, func(s *RuleSet) bool {
		return slices.ContainsFunc(s.byDomain["read"], func(c compiled) bool { return c.source != BuiltIn })
	}) && !slices.ContainsFunc(j.f.Roots, func(root string) bool { return j.f.Home != "" && paths.Inside(path.Clean(j.f.Home), path.Clean(root)) })
	return func(object string) bool {
		if byName && strings.HasPrefix(object, "vault") && !sensitive(object) {
			return false
		}
		v := quick.target(plan, tool.Target{Domain: tool.DomainRead, Object: object}, nil, false)
		return v.is != Allow
	}
}

func dirsOf(s *shell.Script) []string {
	if len(s.Dirs) == 0 {
		return []string{""}
	}
	return s.Dirs
}

// strictest judges the reading of objects, each once, the strictest verdicts first and no
// more than a person could look at.
func (j *judge) strictest(plan *tool.Plan, objects []string) (out []verdict) {
	seen := map[string]bool{}
	for _, o := range objects {
		if !seen[o] {
			seen[o] = true
			out = append(out, j.target(plan, tool.Target{Domain: tool.DomainRead, Object: o}, nil, false))
		}
	}
	slices.SortStableFunc(out, func(a, b verdict) int { return int(a.is) - int(b.is) })
	return out[:min(len(out), maxSwept)]
}

// printed are the files that git may print and that nobody may read unasked: all that it
// keeps, and what the words name. Beside a path outside it compares what is on the disk.
func (j *judge) printed(plan *tool.Plan, s *shell.Script, c *shell.Command) (out []verdict, ok bool) {
	asked, all := j.asked(plan), []string(nil)
	for _, dir := range dirsOf(s) {
		at := c.Prints.At
		switch {
		case c.Prints.Untold, at != "" && dir == "" && !path.IsAbs(at):
			return nil, false
		case path.IsAbs(at):
			dir = at
		case at != "":
			dir += "/" + at
		}
		for _, w := range c.Prints.Words {
			to := j.resolver().Walk(dir, w)
			if to.Exists && slices.ContainsFunc(to.Objects, func(o string) bool { return strings.HasPrefix(o, "fs:") }) {
				return nil, false
			}
			all = append(all, slices.DeleteFunc(slices.Clone(to.Objects), func(o string) bool { return !asked(o) })...)
		}
		if t, can := j.f.Resolver.(Tracker); can {
			objects, complete := t.Tracked(dir, asked)
			if !complete {
				return nil, false
			}
			all = append(all, objects...)
		}
	}
	return j.strictest(plan, all), true
}

func (j *judge) resolver() Resolver {
	if j.f.Resolver != nil {
		return j.f.Resolver
	}
	return lexical{j.f.Roots}
}

// named are the paths that a word of a command stands for.
func (j *judge) named(dir string, w shell.Use) (names []string, complete bool) {
	switch {
	case strings.HasPrefix(w.Word, "~/") && j.f.UserHome != "":
		return []string{j.f.UserHome + w.Word[1:]}, true
	case !w.Glob:
		return []string{w.Word}, true
	}
	g, ok := j.f.Resolver.(Globber)
	if !ok {
		return nil, false
	}
	names, complete = g.Glob(dir, w.Word)
	return append(names, w.Word), complete
}
