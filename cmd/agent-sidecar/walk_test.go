package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace"
)

// linked is a workspace whose links lead where a text would not think of, under rules
// that allow what is everyday.
type linked struct {
	top   string
	vault *workspace.Vault
	facts control.Facts
}

func newLinked(t *testing.T, dir string) linked {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("links, names and magic links as Linux has them; the walk itself is tested everywhere")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := linked{top: top}
	for _, name := range []string{"ws/.git/objects/o", "ws/.git/hooks/h", "ws/a.txt", "ws/src/b.txt", "ws/odd/x", "ext/d/in.txt", "ext/near.txt", "home/.agent-sidecar/own/x", "home/.agent-sidecar/config.jsonc"} {
		at := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte("x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"ws/.git/config", "ws/.env"} {
		os.WriteFile(filepath.Join(top, name), nil, 0o644)
	}
	for at, to := range map[string]string{
		"ws/docs": top + "/ext/d", "ws/d": ".git/objects", "ws/own": "../home/.agent-sidecar/own", "ws/sub": "src", "ws/r": "/usr", "ws/h": top + "/home/.agent-sidecar",
		"ws/odd/l\xff": "../.env", "ws/dev": "/dev",
	} {
		if err := os.Symlink(to, filepath.Join(top, at)); err != nil {
			t.Fatal(err)
		}
	}
	l.vault, err = workspace.Open([]workspace.Folder{{Path: filepath.Join(top, dir)}}, workspace.Options{
		Home: top + "/home/.agent-sidecar", UserHome: top + "/home", Protected: workspace.ProtectedNames{Protected: control.IsProtected, MerelySecret: control.MerelySecret, Closed: control.IsClosed, MayHoldKey: control.MayHoldKey},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.vault.Close() })
	var rules []control.Rule
	for _, p := range []string{"cat *", "echo *", "cd *", "ls *", "cp *", "ln *", "mkdir *", "cmake *", "git *", "head *", "tee *", "rm *", "grep *", "find *", "fmtall *", "dd *", "env *", "pushd *", "shopt *"} {
		rules = append(rules, control.Rule{Domain: "bash", Pattern: p, Decision: "allow"})
	}
	rules = append(rules, control.Rule{Domain: "read", Pattern: "fs:/proc/**", Decision: "allow"}, control.Rule{Domain: "read", Pattern: "fs:/dev/**", Decision: "allow"})
	l.facts = control.Facts{
		Layers: []control.Layer{control.BuiltInLayer(), {Source: "config", Rules: rules}}, Mode: "agent", Trusted: true, Sandbox: control.Sandbox{Offline: true}, Scope: control.Scope{Workspace: "w-1"},
		Home: top + "/home/.agent-sidecar", UserHome: top + "/home", Roots: l.vault.Roots(), Resolver: l.vault,
	}
	return l
}

func (l linked) decide(command string) control.Decision {
	return control.NewPolicy(l.facts).Decide(&tool.Plan{
		Tool: "bash", Effect: tool.Exec, Targets: []tool.Target{{Domain: "bash", Object: "shell:" + command}}, Command: command, Dir: l.vault.Root(),
	})
}

// What a command reads and writes is where the kernel goes, and a person is shown that.
func TestBypassUpBehindALink(t *testing.T) {
	l := newLinked(t, "ws")
	for command, shown := range map[string]string{
		"cat docs/../near.txt":                                  "read fs:" + l.top + "/ext/near.txt",
		"cat docs/../../ws/a.txt":                               "read fs:" + l.top + "/ext/d",
		"cat ./docs//./../near.txt":                             "read fs:" + l.top + "/ext/near.txt",
		"cat < docs/../near.txt":                                "read fs:" + l.top + "/ext/near.txt",
		"cat docs/../*.txt":                                     "read fs:" + l.top + "/ext/near.txt",
		"cat docs/../n[a-f]ar.txt":                              "",
		"cat src/../docs/../near.txt":                           "read fs:" + l.top + "/ext/near.txt",
		"cd docs; cat ../near.txt":                              "read fs:" + l.top + "/ext/near.txt",
		"cd -P docs/..; cat near.txt":                           "read fs:" + l.top + "/ext/near.txt",
		"cd -P docs && cd .. && cat near.txt":                   "read fs:" + l.top + "/ext/near.txt",
		"cd docs/../d; cat in.txt":                              "read fs:" + l.top + "/ext/d/in.txt",
		"git -C docs/.. status; cat near.txt":                   "",
		"env -C docs/.. cat near.txt":                           "",
		"cp docs/../near.txt a":                                 "read fs:" + l.top + "/ext/near.txt",
		"echo x > d/../config":                                  "edit vault:/.git/config",
		"echo x > d/../hooks/pre-commit":                        "edit vault:/.git/hooks/pre-commit",
		"echo x | tee d/../config":                              "edit vault:/.git/config",
		"cp a.txt d/../config":                                  "edit vault:/.git/config",
		"fmtall d/../config":                                    "edit vault:/.git/config",
		"cd d; echo x > ../config":                              "edit vault:/.git/config",
		"cat d/../[a-d]onfig > x; echo > d/../[c]onfig":         "",
		"echo x > docs/../near.txt":                             "edit fs:" + l.top + "/ext/near.txt",
		"ln -s src new; echo x > new/b.txt":                     "",
		"ln -s src new; cat new/../a.txt":                       "",
		"ln -s ../.git src/new; cat src/b.txt":                  "edit vault:/.git",
		"mkdir bin; rmdir bin; ln -s src bin; cat bin/../a.txt": "",
		"ln -s \"$(printf src)\" new; cat new/b.txt":            "",
		"x=/etc; shopt -s cdable_vars; cd x; cat a.txt":         "",
		"CDPATH=/etc; cd ssl; cat a.txt":                        "",
		"cat new/../a.txt":                                      "",
		"cat a.txt/../.env":                                     "",
		"cat $'odd/l\\xff'":                                     "",
	} {
		d := l.decide(command)
		if d.Verdict == control.Allow {
			t.Errorf("%s is allowed: %s", command, control.CommandTree(d.Commands))
		}
		if !slices.ContainsFunc(d.Commands, func(c control.CommandVerdict) bool { return c.Text == shown }) && shown != "" {
			t.Errorf("%s does not show %q:\n%s", command, shown, control.CommandTree(d.Commands))
		}
	}
	for _, command := range []string{
		"cat a.txt", "cat src/../a.txt", "cat sub/b.txt", "cat sub/../a.txt", "cd src && cat ../a.txt", "cd sub && cat b.txt && cd .. && cat a.txt", "echo x > src/../new.txt",
		"mkdir -p build/x; cd build/x; cat ../../a.txt", "cd src; cd sub; cat ../a.txt", "cp src/../a.txt src/c.txt", "cat src/*.txt", "ls > /dev/null 2>&1", "cat /dev/stdin < a.txt",
		"echo x > /dev/stderr", "cat src/../*.txt", "mkdir out && cp a.txt out/ && cat out/a.txt", "cat /proc/cpuinfo",
		"mkdir -p bin && ln -s ../src/b.txt bin/b", "mkdir -p bin && cp a.txt bin/ && cat bin/a.txt", "ln -s ../a.txt src/l", "ln -sf ../../a.txt nothere/yet/l",
	} {
		if d := l.decide(command); d.Verdict != control.Allow {
			t.Errorf("%s: %s\n%s", command, d.Reason, control.CommandTree(d.Commands))
		}
	}
}

// However a command comes to the word, it is walked.
func TestBypassSpellingsOfUpBehindALink(t *testing.T) {
	l := newLinked(t, "ws")
	l.facts.Layers = append(l.facts.Layers, control.Layer{Source: "config", Rules: []control.Rule{{Domain: "bash", Pattern: "*", Decision: "allow"}}})
	for _, command := range []string{
		"cat docs//../near.txt", `cat "docs"/../near.txt`, "cat doc?/../near.txt", "cat do{c,x}s/../near.txt", "x=docs; cat $x/../near.txt", "pushd docs; cat ../near.txt", "(cd docs && cat ../near.txt)",
		"cd docs/../; cat near.txt", "tar -C docs/.. -cf - near.txt", "find docs/.. -name near.txt -exec cat {} +", "sed -n 'w d/../config' a.txt", "awk '{print > \"d/../config\"}' a.txt",
		"cat --number=docs/../near.txt", "grep -f docs/../near.txt a.txt", "git diff --no-index a.txt docs/../near.txt", "cd docs; cd -P ..; cat near.txt", "cd sub/../docs/..; cat near.txt",
		"cat docs/../[n]ear.txt", "echo x > d/./../config", "echo x >> d/../config", "echo x >| d/../config", "echo x &> d/../config", "cat <> d/../config", "for f in docs/..; do cat $f/near.txt; done", "cat ~/../ext/near.txt",
		"cat $PWD/docs/../near.txt", "cat `echo docs/..`/near.txt", "mkdir x; cd x; cat ../docs/../near.txt", "sh -c 'cat docs/../near.txt'", "cat docs/..///near.txt", "cp docs/../near.txt d/../config",
		"cd docs/.. || cat near.txt", "ln -s docs/.. q; cat q/near.txt", "python3 -c 'open(\"d/../config\", \"w\")'",
	} {
		if d := l.decide(command); d.Verdict == control.Allow {
			t.Errorf("%s is allowed: %s", command, control.CommandTree(d.Commands))
		}
	}
}

// In /proc each process sees something else, so no rule answers for what lies there.
func TestBypassMagicLinksInCommands(t *testing.T) {
	l := newLinked(t, "ws")
	for _, command := range []string{
		"cat /dev/fd/../cwd/.env", "cat /dev/fd/../root/etc/hostname", "cat /proc/net/../cwd/.env", "cat /proc/6/cwd/.env", "cat /proc/?/cwd/.env", "cat /proc/[0-9]*/cwd/a.txt", "cat /pro?/self/cwd/a.txt",
		"cat /proc/self/cwd/a.txt", "cat /proc/self/environ", "cat dev/fd/../cwd/a.txt", "cat d[e]v/fd/../cwd/a.txt", "cat /proc/self/root" + l.top + "/ws/a.txt", "cd /proc/self/cwd; cat a.txt", "echo x > /proc/self/cwd/n.txt",
		"cat /dev/./fd/../cwd/a.txt", "cat /proc/thread-self/cwd/a.txt", "cat /proc/self/task/1/cwd/a.txt", "cat < /dev/fd/../cwd/a.txt",
	} {
		if d := l.decide(command); d.Verdict == control.Allow {
			t.Errorf("%s is allowed: %s", command, control.CommandTree(d.Commands))
		}
	}
}

// Hard limits see where the kernel goes, and what nobody can know.
func TestBypassHardLimitsBehindLinks(t *testing.T) {
	l := newLinked(t, "ws")
	for _, command := range []string{
		"rm -rf r/../", "rm -rf r/../*", "rm -rf ./r/..//*", "cd r; rm -rf ../*", "cd -P r/..; rm -rf *", "find r/.. -delete", "chmod -R 777 r/../", "rm -rf own/../..", "rm -rf /dev/fd/../root/", "rm -rf /proc/self/task/2/root/",
		"rm -rf /proc/[0-9]*/root/", "rm -rf /proc/self/cwd/../..", "rm -rf /proc/7/root/home", "find /proc/self/root -delete", "cd /proc/self/root && rm -rf *", "rm -rf ?/../*", "echo x > dev/sda", "cp a.txt src/../dev/sda",
		"tee /proc/self/root/dev/sda", "rm -rf $(realpath '" + l.top + "/ws/r/..')",
	} {
		d := l.decide(command)
		if d.Verdict != control.Deny || d.By != "hard_limit" {
			t.Errorf("%s: %v by %s: %s", command, d.Verdict, d.By, d.Reason)
		}
	}
	for _, command := range []string{"cat own/../config.jsonc", "echo x > own/../config.jsonc", "cat h/config.jsonc", "echo '{}' > own/./../config.jsonc", "cat own/../*.jsonc"} {
		if d := l.decide(command); d.Verdict != control.Deny || d.By != "hard_limit" {
			t.Errorf("%s: %v by %s: %s", command, d.Verdict, d.By, d.Reason)
		}
	}
	for _, command := range []string{"rm -rf src/../src", "rm -rf sub/x", "rm -rf docs/x", "find src -delete"} {
		if d := l.decide(command); d.By == "hard_limit" {
			t.Errorf("%s: %s", command, d.Reason)
		}
	}
}

// The file tools name, judge and open the same place.
func TestBypassFileToolsUpBehindALink(t *testing.T) {
	l := newLinked(t, "ws")
	tools := l.vault.Tools(workspace.Owner{Session: "s", Folder: t.TempDir()})
	plan := func(name, args string) *tool.Plan {
		i := slices.IndexFunc(tools, func(t tool.Tool) bool { return t.Spec().Name == name })
		p, err := tools[i].Plan([]byte(args))
		if err != nil {
			t.Fatal(name, args, err)
		}
		p.Tool, p.Effect = name, tools[i].Spec().Effect
		return p
	}
	for _, row := range []struct{ name, args, object string }{
		{"read", `{"path":"docs/../near.txt"}`, "fs:" + l.top + "/ext/near.txt"},
		{"ls", `{"path":"docs/.."}`, "fs:" + l.top + "/ext"},
		{"grep", `{"pattern":"x","path":"docs/.."}`, "fs:" + l.top + "/ext"},
		{"glob", `{"pattern":"docs/../*"}`, "fs:" + l.top + "/ext"},
		{"write", `{"path":"d/../new","content":"x"}`, "vault:/.git/new"},
		{"bash", `{"command":"ls","workdir":"docs/.."}`, "fs:" + l.top + "/ext"},
	} {
		p := plan(row.name, row.args)
		if !slices.ContainsFunc(p.Targets, func(t tool.Target) bool { return t.Object == row.object }) {
			t.Errorf("%s %s: %v", row.name, row.args, p.Targets)
		}
		if d := control.NewPolicy(l.facts).Decide(p); d.Verdict == control.Allow {
			t.Errorf("%s %s is allowed", row.name, row.args)
		}
	}
	if p := plan("read", `{"path":"docs/../near.txt"}`); p.Title != "read "+l.top+"/ext/near.txt (through docs)" {
		t.Error(p.Title)
	}
	if p := plan("read", `{"path":"/proc/self/environ"}`); control.NewPolicy(l.facts).Decide(p).Verdict == control.Allow {
		t.Error("a rule opens what is in /proc of a process")
	}
	if !strings.HasPrefix(plan("read", `{"path":"src/../a.txt"}`).Title, "read a.txt") {
		t.Error("without links the text says it")
	}
}

// A yes covers the files that really start, and git obeys the hooks that it really finds.
func TestBypassStartedFilesUpBehindALink(t *testing.T) {
	l := newLinked(t, "ws")
	for name, text := range map[string]string{
		"ws/run.sh": "true\n", "ws/deep/run.sh": "true\n", "ws/deep/er/x": "", "ws/deep/hooks/pre-commit": "true\n", "ws/hooks/pre-commit": "true\n",
		"ws/package.json": `{"scripts":{"test":"true"}}`, "ws/deep/package.json": `{"scripts":{"test":"true"}}`, "ws/.git/config": "[core]\n\thooksPath = l/../hooks\n",
	} {
		at := filepath.Join(l.top, name)
		os.MkdirAll(filepath.Dir(at), 0o755)
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("deep/er", l.top+"/ws/l"); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"sh l/../run.sh": "vault:/deep/run.sh", "./l/../run.sh": "vault:/deep/run.sh", "cd -P l/..; sh run.sh": "vault:/deep/run.sh", "cd l; npm test": "vault:/deep/package.json",
		"npm --prefix l/.. test": "vault:/deep/package.json", "sh run.sh": "vault:/run.sh", "cat /proc/self/cwd/x; sh /proc/self/cwd/run.sh": "",
		"cd /proc/self/cwd/deep; cat /proc/self/cwd/run.sh; sh run.sh": "",
	} {
		starts := control.Starts(l.facts, &tool.Plan{Tool: "bash", Command: command, Dir: l.vault.Root()})
		if !slices.ContainsFunc(starts, func(s tool.StartedFile) bool { return s.Object == want }) {
			t.Errorf("%s starts %v, not %q", command, starts, want)
		}
	}
	if names := l.vault.Walk("", "deep/hooks/pre-commit").Objects; !slices.Contains(names, "vault:/.git/hooks/pre-commit") {
		t.Errorf("git obeys what is only %v", names)
	}
}

// What a command reads without naming it is looked for where it really looks.
func TestBypassSweepsUpBehindALink(t *testing.T) {
	l := newLinked(t, "ws")
	for _, command := range []string{
		"grep -r x docs/..", "cd -P docs/..; grep -r x .", "git -C docs/.. show HEAD", "git --no-pager show HEAD:./l -- docs/../near.txt", "find docs/.. -exec cat {} +", "ls docs/../*", "cat /proc/$$/cwd/a.txt", "cat /proc/$x/../self/cwd/a.txt",
		"x=docs/..; grep -r x $x", "rm -rf /proc/$$/cwd/x", "cat $(realpath docs)/../near.txt",
	} {
		if d := l.decide(command); d.Verdict == control.Allow {
			t.Errorf("%s is allowed: %s", command, control.CommandTree(d.Commands))
		}
	}
	for _, command := range []string{"rm -rf /proc/$$/root/", "rm -rf $(realpath /proc/self/cwd/../..)", "tee /proc/$$/root/dev/sda", "rm -rf \"/usr/../$x\""} {
		if d := l.decide(command); d.By != "hard_limit" {
			t.Errorf("%s: %v by %s: %s", command, d.Verdict, d.By, d.Reason)
		}
	}
}
