package config

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// here is a resolver of a workspace where every file exists.
type here struct{}

func (here) Walk(dir, word string) tool.Walk {
	if !filepath.IsAbs(word) {
		word = filepath.Join(dir, word)
	}
	if rest, err := filepath.Rel("/home/u/p", word); err == nil && filepath.IsLocal(rest) {
		return tool.Walk{Objects: []string{"vault:/" + filepath.ToSlash(rest)}, Paths: []string{word}, Exists: true}
	}
	return tool.Walk{Objects: []string{"fs:" + word}, Paths: []string{word}, Exists: true}
}

// baseFacts is a trusted workspace with nothing but the built-in rules.
func baseFacts(rules ...control.Rule) control.Facts {
	return control.Facts{
		Layers:  []control.Layer{control.BuiltInLayer(), {Source: "config", Rules: rules}},
		Mode:    "agent",
		Trusted: true, Sandbox: control.Sandbox{Offline: true}, Scope: control.Scope{Workspace: "w-1"},
		Home: "/home/u/.agent-sidecar", UserHome: "/home/u", Roots: []string{"/home/u/p"}, Resolver: here{},
	}
}

func rule(domain, pattern, decision string) control.Rule {
	return control.Rule{Domain: tool.Domain(domain), Pattern: pattern, Decision: decision}
}

func decide(f control.Facts, p *tool.Plan) control.Decision { return control.NewPolicy(f).Decide(p) }

func bashPlan(command string) *tool.Plan {
	return &tool.Plan{Tool: "bash", Effect: tool.Exec, Targets: []tool.Target{{Domain: "bash", Object: "shell:" + command}}, Command: command, Dir: "/home/u/p"}
}

// filePlan reads an object, or writes it where the domain is edit.
func filePlan(domain, object string) *tool.Plan {
	effect := tool.Read
	if domain == "edit" {
		effect = tool.Write
	}
	return &tool.Plan{Tool: domain, Effect: effect, Targets: []tool.Target{{Domain: tool.Domain(domain), Object: object}}}
}

// openStore is the configuration of a home of its own, whose file holds this text;
// "-" is no file.
func openStore(t *testing.T, text string) (*Store, string) {
	t.Helper()
	home := t.TempDir()
	path := filepath.Join(home, "config.jsonc")
	if text != "-" {
		write(t, path, text)
	}
	s, err := Open(home, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s, path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// process is this binary again, to run what one test of it does with this
// environment.
func process(test string, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run", "^"+test+"$", "-test.v")
	cmd.Env = append(os.Environ(), env...)
	return cmd
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// What happens at the edge of each number stands in the tests beside it, which
// take it from the code: here it is written a second time.
func TestNumbersOfTheSpecification(t *testing.T) {
	for name, row := range map[string][2]int{
		"bytes of a configuration file":          {maxBytes, 256 * 1024},
		"bytes of an agent file":                 {maxAgentBytes, 256 * 1024},
		"seconds of a hook":                      {int(defaultHookTime / time.Second), 10},
		"the longest call of a server or a tool": {maxCallMs, 600_000},
	} {
		if row[0] != row[1] {
			t.Errorf("%s: %d, want %d", name, row[0], row[1])
		}
	}
}
