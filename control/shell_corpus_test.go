package control

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// The lists in testdata/shell hold one command a line; ¶ stands for a line
// break, and a line that begins with "# " is about those below it. Each is a row
// that was tried against a real bash or that got through once; new bypasses are
// added there by name.
//
//go:embed testdata/shell
var shellLists embed.FS

// listed reads the rows of a list, cut at tabs into n columns.
func listed(t testing.TB, name string, n int) [][]string {
	t.Helper()
	b, err := shellLists.ReadFile("testdata/shell/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(b)) {
		if line == "\n" || strings.HasPrefix(line, "# ") {
			continue
		}
		row := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", n)
		if len(row) != n {
			t.Fatalf("%s: %q has not %d columns", name, line, n)
		}
		row[n-1] = strings.ReplaceAll(row[n-1], "¶", "\n")
		rows = append(rows, row)
	}
	return rows
}

// shellVerdict is the word of a table for a decision.
func shellVerdict(d Decision) string {
	switch {
	case d.By == "hard_limit":
		return "block"
	case d.Verdict == Ask && d.OnceOnly:
		return "once"
	}
	return d.Verdict.String()
}

// everything is a person's rule that allows every command.
func everything() Facts {
	f := baseFacts(allowBash("*")...)
	f.Rules = Compile(f.Layers)
	return f
}

// Every spelling of a hard limit is blocked in every mode.
func TestHardLimitSpellings(t *testing.T) {
	rows := listed(t, "hard.txt", 1)
	if len(rows) < 600 {
		t.Errorf("only %d spellings", len(rows))
	}
	f := everything()
	full := f
	full.Mode = "full_access"
	for _, row := range rows {
		for _, facts := range []Facts{f, full} {
			d := decide(facts, bashPlan(row[0]))
			if d.By != "hard_limit" || d.Verdict != Deny || !strings.HasPrefix(d.Refusal, "Error: dangerous command blocked: ") {
				t.Errorf("%s: %s by %s in %s", Title(row[0], 120), d.Verdict, d.By, facts.Mode)
			}
		}
	}
}

// Each hard limit behind each wrapper in each kind of list.
func TestHardLimitsInWrappersAndLists(t *testing.T) {
	limits := []string{
		"rm -rf /", "rm -fr ~", `rm -r -f "$HOME"`, "rm --recursive --force /*", "mkfs.ext4 /dev/sda", "dd if=x of=/dev/sda", "shutdown now", "reboot", "halt",
		"poweroff", "chmod -R 777 /", "chown -R u /", "find / -delete", "format c:",
	}
	wrappers := []string{
		"%s", "sudo %s", "sudo -u root -- %s", "env A=1 %s", "env -i %s", "env - %s", "nice -n 5 %s", "nohup %s", "timeout 5 %s", "timeout -s KILL 5 %s", "command %s",
		"exec %s", "eval %s", "eval -- %s", "setsid %s", "stdbuf -oL %s", "busybox %s", "doas %s", "time %s", "time -p %s", "! %s", "coproc %s",
	}
	lists := []string{
		"%s", "ls; %s", "ls\n%s", "ls && %s", "ls || %s", "ls | %s", "%s | cat", "%s &", "(%s)", "{ %s; }", "if ls; then %s; fi", "for i in 1; do %s; done",
		"while ls; do %s; done", "case a in a) %s;; esac", "f() { %s; }; f", "echo $(%s)", "echo `%s`", "cat <(%s)", "x=$(%s)", "cat <<E\n$(%s)\nE",
	}
	f := everything()
	for _, limit := range limits {
		for _, w := range wrappers {
			for _, l := range lists {
				text := fmt.Sprintf(l, fmt.Sprintf(w, limit))
				if d := decide(f, bashPlan(text)); d.By != "hard_limit" {
					t.Errorf("%s: %s by %s", Title(text, 120), d.Verdict, d.By)
				}
			}
		}
	}
}

// What only looks like a hard limit, and what developers run every day. The
// first column is what a rule that allows every command comes to.
func TestShellLookalikes(t *testing.T) {
	rows := listed(t, "lookalikes.txt", 2)
	f := everything()
	full := f
	full.Mode = "full_access"
	for _, row := range rows {
		d := decide(f, bashPlan(row[1]))
		if got := shellVerdict(d); got != row[0] {
			t.Errorf("%s: %s, want %s: %s", Title(row[1], 120), got, row[0], d.Reason)
		}
		if d := decide(full, bashPlan(row[1])); d.By == "hard_limit" {
			t.Errorf("%s is blocked in full access: %s", Title(row[1], 120), d.Reason)
		}
	}
	if len(rows) < 250 {
		t.Errorf("only %d rows", len(rows))
	}
}

// Wherever nc hides, it is a target of its own ("nc"), or the text asks once.
func TestHiddenCommands(t *testing.T) {
	rows := listed(t, "targets.txt", 2)
	if len(rows) < 250 {
		t.Errorf("only %d rows", len(rows))
	}
	f := baseFacts(tableRules...)
	f.Rules = Compile(f.Layers)
	for _, row := range rows {
		d := decide(f, bashPlan(row[1]))
		switch {
		case d.Verdict == Allow:
			t.Errorf("%s is allowed", Title(row[1], 120))
		case row[0] == "once" && !d.OnceOnly:
			t.Errorf("%s asks, but not only once", Title(row[1], 120))
		case row[0] == "nc" && !slices.ContainsFunc(d.Commands, func(c CommandVerdict) bool { return hasHead(c.Text, "nc") }):
			t.Errorf("%s: nc is no target of %v", Title(row[1], 120), d.Targets)
		}
	}
}

func hasHead(text, head string) bool {
	first, _, _ := strings.Cut(text, " ")
	return strings.TrimSuffix(path.Base(first), ".exe") == head
}

// Files that hold secrets or are obeyed by other programs are seen behind every
// way to name them, although a rule allows every command. The second column is
// the target that must be there; "-" where the text asks as a whole.
func TestHiddenFiles(t *testing.T) {
	rows := listed(t, "files.txt", 3)
	if len(rows) < 550 {
		t.Errorf("only %d rows", len(rows))
	}
	f := everything()
	for _, row := range rows {
		d := decide(f, bashPlan(row[2]))
		if got := shellVerdict(d); got != row[0] {
			t.Errorf("%s: %s, want %s: %s", Title(row[2], 120), got, row[0], d.Reason)
		}
		domain, object, _ := strings.Cut(row[1], " ")
		if row[1] != "-" && !slices.ContainsFunc(d.Commands, func(c CommandVerdict) bool { return c.Text == domain+" "+object }) {
			t.Errorf("%s: no target %s in %v", Title(row[2], 120), row[1], d.Targets)
		}
	}
}

// The limits of the reader of scripts at their edges.
func TestShellLimitEdges(t *testing.T) {
	f := everything()
	for n, want := range map[int]string{9_999: "allow", 10_000: "allow", 10_001: "once"} {
		text := "echo " + strings.Repeat("é", n-len("echo "))
		if got := shellVerdict(decide(f, bashPlan(text))); got != want {
			t.Errorf("%d characters: %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int]string{7: "allow", 8: "allow", 9: "once"} {
		for _, wrapper := range []string{"nice ", "env ", "eval ", "timeout 5 "} {
			d := decide(f, bashPlan(strings.Repeat(wrapper, n)+"ls -l"))
			if got := shellVerdict(d); got != want {
				t.Errorf("%d times %q: %s, want %s: %s", n, wrapper, got, want, d.Reason)
			}
			if found := slices.ContainsFunc(d.Commands, func(c CommandVerdict) bool { return c.Text == "ls -l" }); found != (n <= 8) {
				t.Errorf("%d times %q: ls is a target: %v", n, wrapper, found)
			}
		}
		d := decide(f, bashPlan(strings.Repeat("nice ", n)+"rm -rf /"))
		if d.By != "hard_limit" { // found at any depth: the words themselves are looked through
			t.Errorf("rm -rf / behind %d wrappers: %s by %s", n, d.Verdict, d.By)
		}
	}
}

func BenchmarkShellTenThousandCharacters(b *testing.B) {
	text := strings.Repeat("cat a.go \"some words\" | grep -n 'x y' && git status --short\n", 166)
	policy := NewPolicy(everything())
	plan := bashPlan(text)
	for b.Loop() {
		policy.Decide(plan)
	}
}
