package control

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
)

// globbing is a world that expands "*" and "?" in one directory and gives up at brackets.
type globbing struct{ world }

func (g globbing) Glob(dir, pattern string) ([]string, bool) {
	if strings.Contains(pattern, "[") {
		return nil, false
	}
	var out []string
	for f := range g.files {
		base := path.Base(f)
		if path.Dir(f) == dir && shell.MatchWild(pattern, base) && (base[0] != '.' || pattern[0] == '.') {
			out = append(out, f)
		}
	}
	slices.Sort(out)
	return out, true
}

// Bypass: a sensitive file named by a pattern that is no plain one. "*" means every
// command, and does not mean the files that no rule names.
func TestBypassPatternsThatNameSecrets(t *testing.T) {
	f := baseFacts(allowBash("*")...)
	f.Resolver = globbing{newWorld("/home/u/p/a.go", "/home/u/p/.env", "/home/u/p/.env*", "/home/u/p/src/main.go")}
	for _, command := range []string{
		"cat .e*", "x=.e*; cat $x", "x='.e*'; cat $x", "cat ${y:-.e*}", "cat $(echo '.e*')", "f() { cat $1; }; f '.e*'", "a=(.e*); cat ${a[0]}", `a=(.e*); cat "${a[@]}"`, "set -- .e*; cat $1",
		"for f in .e*; do cat \"$f\"; done", "eval 'cat .e*'", "cat {.e,x}*", "cat .[e]nv", "cat .[[:alpha:]]nv", "cat [[]x].env",
		`for f in .e*x; do cat "${f%x}"; done`,
		// patterns that are quoted in part hit other names than their text says
		`cat "["x].e*`, `cat \[x].e*`, `cat '[a]'*`, `for f in '[a]'*; do cat "$f"; done`, `a=('['x]*); cat "${a[@]}"`, `x='['; cat "$x"a]*`, `cat [a"-"c]*`, `cat [[:alpha:]"-"z]*`, `cat []"x"]*`, `cat [\!a]*`, `cat [a"$x"]*`, `y='!'; cat ["$y"a]*`, `cat @(.env)`,
		// how they are expanded is changed
		"shopt -s dotglob; cat *", "shopt -s extglob nullglob; cat *", "GLOBIGNORE=x; cat *", ": ${GLOBIGNORE:=x}; cat *", "read GLOBIGNORE <<< x; cat *", "printf -v GLOBIGNORE x; cat *",
		`printf -v "GLOB"IGNORE x; cat *`, "(( GLOBIGNORE=1 )); cat *", "for GLOBIGNORE in x; do cat *; done", "bash -O dotglob -c 'cat *'", "bash +O extglob -c 'cat *'", "env BASHOPTS=dotglob bash -c 'cat *'",
		"exec {GLOBIGNORE}<a.go; cat *",
	} {
		if d := decide(f, bashPlan(command)); d.Verdict != Ask {
			t.Errorf("%s: %v (%s)", command, d.Verdict, d.Reason)
		}
	}
	for _, command := range []string{"cat *.go", "cat a*", "x='*.go'; cat $x", `cat "src"/*.go`, "for f in *.go; do gofmt -l \"$f\"; done", "grep 'a[b]c' *.go", "echo [x]", "ls .[a-z]*", `x='[0-9]'; echo "$x"`, `cat "$x"/*.go`, `cat src/"a b"*`, `cat a\ b*`} {
		if d := decide(f, bashPlan(command)); d.Verdict != Allow {
			t.Errorf("%s: %v (%s)", command, d.Verdict, d.Reason)
		}
	}
}
