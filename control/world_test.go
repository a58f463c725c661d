package control

import (
	"path"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/paths"
	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// world is a resolver over a list of files that exist.
type world struct {
	root  string
	files map[string]bool
	links map[string]string
}

func newWorld(files ...string) world {
	w := world{root: "/home/u/p", files: map[string]bool{}, links: map[string]string{}}
	for _, f := range files {
		if from, to, ok := strings.Cut(f, " -> "); ok {
			w.links[from] = to
			f = from
		}
		for p := f; p != "/" && p != "."; p = path.Dir(p) {
			w.files[p] = true
		}
	}
	w.files["/"] = true
	return w
}

func (w world) object(p string) string {
	if paths.Inside(p, w.root) {
		return "vault:/" + strings.TrimPrefix(strings.TrimPrefix(p, w.root), "/")
	}
	return "fs:" + p
}

func (w world) Walk(dir, word string) tool.Walk {
	word = path.Clean(paths.Below(dir, word))
	to := tool.Walk{Objects: []string{w.object(word)}, Paths: []string{word}, Exists: w.files[word]}
	if end := w.links[word]; end != "" {
		to.Objects, to.Paths = append(to.Objects, w.object(end)), append(to.Paths, end)
	}
	return to
}

// Glob expands "*" and "?" in each segment, as bash does, and gives up at brackets.
func (w world) Glob(dir, pattern string) (out []string, complete bool) {
	if strings.ContainsAny(pattern, `[\\`) {
		return nil, false
	}
	want := strings.Split(path.Clean(paths.Below(dir, pattern)), "/")
	for f := range w.files {
		have := strings.Split(f, "/")
		hits := len(have) == len(want)
		for i := 0; hits && i < len(want); i++ {
			hits = shell.MatchWild(want[i], have[i]) && (!strings.HasPrefix(have[i], ".") || strings.HasPrefix(want[i], "."))
		}
		if hits {
			out = append(out, f)
		}
	}
	slices.Sort(out)
	return out, true
}

var theWorld = newWorld(
	"/home/u/p/a.go", "/home/u/p/README.md", "/home/u/p/.env", "/home/u/p/.env.example", "/home/u/p/src/main.go", "/home/u/p/src/.env.local",
	"/home/u/p/.git/config", "/home/u/p/.git/hooks/pre-commit", "/home/u/p/server.key", "/home/u/p/build/x", "/home/u/p/Makefile",
	"/home/u/p/script.sh", "/home/u/p/innocent.txt -> /home/u/.ssh/id_rsa", "/home/u/.ssh/id_rsa", "/home/u/.aws/credentials",
	"/home/u/.agent-sidecar/config.jsonc", "/home/u/.agent-sidecar/own/out.txt", "/etc/passwd", "/etc/hosts", "/proc/self/environ", "/tmp/x/build/y", "/usr/bin/rm", "/bin/ls",
	"/home/u/p/.vscode/settings.json", "/dev/null", "/dev/sda",
)

// baseFacts is a trusted workspace with nothing but the built-in rules.
func baseFacts(rules ...Rule) Facts {
	return Facts{
		Layers:  []Layer{BuiltInLayer(), {Source: "config", Rules: rules}},
		Mode:    "agent",
		Trusted: true, Sandbox: Sandbox{Offline: true}, Scope: Scope{Workspace: "w-1"},
		Home: "/home/u/.agent-sidecar", UserHome: "/home/u", Roots: []string{"/home/u/p"},
		Readables: Readables{Own: []string{"/home/u/.agent-sidecar/own"}}, Resolver: theWorld,
	}
}

func rule(domain, pattern, decision string) Rule {
	return Rule{Domain: tool.Domain(domain), Pattern: pattern, Decision: decision}
}

func allowBash(patterns ...string) []Rule {
	var rules []Rule
	for _, p := range patterns {
		rules = append(rules, rule("bash", p, "allow"))
	}
	return rules
}

// planOf is a call with one target.
func planOf(domain, object string, effect tool.Effect) *tool.Plan {
	return &tool.Plan{Tool: domain, Effect: effect, Targets: []tool.Target{{Domain: tool.Domain(domain), Object: object}}}
}

func bashPlan(command string) *tool.Plan {
	p := planOf("bash", "shell:"+command, tool.Exec)
	p.Command, p.Dir = command, "/home/u/p"
	return p
}

// memoryPlan is a call of the memory tool.
func memoryPlan(object string) *tool.Plan {
	return &tool.Plan{Tool: "memory", Effect: tool.Write, Targets: []tool.Target{{Domain: "edit", Object: object}}}
}

// filePlan reads an object, or writes it where the domain is edit.
func filePlan(domain, object string) *tool.Plan {
	effect := tool.Read
	if domain == "edit" {
		effect = tool.Write
	}
	return planOf(domain, object, effect)
}

func decide(f Facts, p *tool.Plan) Decision { return NewPolicy(f).Decide(p) }
