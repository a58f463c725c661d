//go:build unix

package shell

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// The oracle: harmless scripts are run by a real bash that traces
// what it executes. Whatever it executed must be among our targets, and every
// file it made among the edits. The programs are stubs that note their own name,
// so that what a wrapper starts is seen too.

// fruits are the stubs. They print their name and note that they ran.
var fruits = []string{"apple", "berry", "cherry", "damson", "fig", "grape", "lemon", "mango"}

// traced is what a run showed.
type traced struct {
	executed []string
	created  []string
	output   string
}

// orchard is a directory of stubs and a bash to run scripts with.
type orchard struct{ bash, bin string }

func newOrchard(tb testing.TB) *orchard {
	tb.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		tb.Skip("not run: there is no bash to compare with")
	}
	dir := tb.TempDir()
	o := &orchard{bash: bash, bin: filepath.Join(dir, "bin")}
	if err := os.Mkdir(o.bin, 0o755); err != nil {
		tb.Fatal(err)
	}
	for _, name := range fruits {
		text := "#!" + bash + "\nset +x\necho " + name + " >>\"$ORCHARD_LOG\"\necho " + name + "\n"
		if err := os.WriteFile(filepath.Join(o.bin, name), []byte(text), 0o755); err != nil {
			tb.Fatal(err)
		}
	}
	for _, name := range []string{"bash", "sh", "env", "timeout", "nice", "nohup", "xargs", "find", "cat", "setsid", "stdbuf", "tee", "rev", "base64", "tr"} {
		if real, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(real, filepath.Join(o.bin, name)); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return o
}

// run executes a script in a new directory.
func (o *orchard) run(tb testing.TB, script string) traced {
	tb.Helper()
	dir := tb.TempDir()
	// Notes of its own: what an earlier script has left running writes into others.
	notes := tb.TempDir()
	trace, log := filepath.Join(notes, "trace"), filepath.Join(notes, "log")
	for _, p := range []string{trace, log} {
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	// Some loops never end (a subshell forgets that it may break out of one). What
	// they ran until then counts as well; the fuzzer takes ten seconds for a crash.
	ctx, cancel := context.WithTimeout(tb.Context(), 3*time.Second)
	defer cancel()
	// A fuzzer that is at its end kills its worker, and whatever holds the worker's
	// pipes (3 to 5) keeps it waiting; a loop without an end ends with its time.
	head := "exec 3>&- 4>&- 5>&-; ulimit -t 2; exec 19>>\"$ORCHARD_TRACE\"; BASH_XTRACEFD=19; PS4='+ '; set -x\n"
	cmd := exec.CommandContext(ctx, o.bash, "--norc", "--noprofile", "-c", head+script+"\nwait")
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Env = []string{"PATH=" + o.bin, "HOME=" + dir, "ORCHARD_LOG=" + log, "ORCHARD_TRACE=" + trace, "LC_ALL=C"}
	out, _ := cmd.CombinedOutput() // a script may fail
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left behind
	}
	t := traced{output: string(out)}
	for line := range strings.Lines(contentOf(tb, trace)) {
		if name := executedIn(line); name != "" {
			t.executed = append(t.executed, name)
		}
	}
	t.executed = append(t.executed, strings.Fields(contentOf(tb, log))...)
	entries, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	for _, e := range entries {
		t.created = append(t.created, e.Name())
	}
	return t
}

func contentOf(tb testing.TB, file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

// executedIn is argv[0] of one line of a trace, "" for what is no command.
func executedIn(line string) string {
	text := strings.TrimLeft(line, "+")
	if text == line || !strings.HasPrefix(text, " ") {
		return ""
	}
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	word = strings.Trim(word, "'")
	switch {
	case word == "!": // inside $(case … ;; esac) some versions of bash look for a program of that name
		return ""
	case word == "wait" || strings.ContainsAny(word, "=$([{\n"):
		return ""
	case words("for case select function [[ ((").has(word):
		return ""
	}
	return filepath.Base(word)
}

// gardener writes scripts. Its choices come from a seed, so that the fuzzer
// decides them.
type gardener struct {
	r     *rand.Rand
	depth int
	names int
}

func (g *gardener) pick(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *gardener) fruit() string {
	name := fruits[g.r.IntN(len(fruits))]
	switch g.r.IntN(12) {
	case 0:
		return `\` + name
	case 1:
		return name[:2] + `""` + name[2:]
	case 2:
		return "'" + name + "'"
	case 3:
		return `"` + name + `"`
	case 4:
		return fmt.Sprintf(`$'\x%02x%s'`, name[0], name[1:])
	case 5:
		return name[:1] + "\\\n" + name[1:]
	case 6:
		return fmt.Sprintf(`$'\%03o%s'`, name[0], name[1:])
	}
	return name
}

func (g *gardener) quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (g *gardener) fresh(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// command is one command, simple or not.
func (g *gardener) command() string {
	if g.depth++; g.depth > 7 {
		g.depth--
		return g.fruit()
	}
	defer func() { g.depth-- }()
	c := g.command
	switch g.r.IntN(58) {
	case 0:
		return c() + "; " + c()
	case 1:
		return c() + " && " + c()
	case 2:
		return c() + " || " + c()
	case 3:
		return "{ " + c() + "; } | { " + c() + "; }"
	case 4:
		return "( " + c() + " )"
	case 5:
		return "{ " + c() + "\n}"
	case 6:
		return "if " + c() + "; then " + c() + "; else " + c() + "; fi"
	case 7:
		return "while " + c() + "; do " + c() + "; break; done"
	case 8:
		return "for i in 1 2; do " + c() + "; done"
	case 9:
		return "case x in y) " + c() + ";; *) " + c() + ";; esac"
	case 10:
		name := g.fresh("fn")
		return name + "() { " + c() + "; }; " + name
	case 11:
		return "echo $( " + c() + "\n)"
	case 12:
		return "echo \"$( " + c() + "\n)\""
	case 13:
		return "cat <( " + c() + "\n)"
	case 14:
		return "cat <<< \"$( " + c() + "\n)\""
	case 15:
		name := g.fresh("EOF")
		return "{ cat <<" + name + "\n$( " + c() + "\n)\n" + name + "\n}"
	case 16:
		return "echo ${nothing:-$( " + c() + "\n)}"
	case 17:
		return "[[ -n $( " + c() + "\n) ]]"
	case 18:
		return "a=(1 $( " + c() + "\n))"
	case 19:
		return "x=$( " + c() + "\n)"
	case 20:
		return "x=1 " + g.fruit()
	case 21:
		return "{ " + c() + "; } > " + g.fresh("out")
	case 22:
		return g.fruit() + " >> " + g.fresh("out") + " 2>&1"
	case 23:
		return g.fruit() + " &> \"" + g.fresh("out") + "\""
	case 24:
		return g.pick("timeout 5", "nice", "nice -n 1", "nohup", "env", "env A=1", "env -u A", "env --", "setsid -w", "command", "command -p --", "stdbuf -oL", "timeout -s KILL 5", "env -S") + " " + fruits[g.r.IntN(len(fruits))]
	case 25:
		return "eval " + g.quote(c())
	case 26:
		return g.pick("bash -c ", "bash -ec ", "bash -o pipefail -c ", "bash -c -- ") + g.quote(c())
	case 27:
		return "bash <<< " + g.quote(c())
	case 28:
		name := g.fresh("EOF")
		return "{ bash <<'" + name + "'\n" + c() + "\n" + name + "\n}"
	case 29:
		return "echo " + fruits[g.r.IntN(len(fruits))] + " | bash"
	case 30:
		return "( trap " + g.quote(c()) + " EXIT; true )"
	case 31:
		return "echo x | xargs " + g.pick("", "-n 1 ", "-I{} ") + fruits[g.r.IntN(len(fruits))]
	case 32:
		return "find . -maxdepth 0 -exec " + fruits[g.r.IntN(len(fruits))] + " {} " + g.pick(`\;`, "+")
	case 33:
		return "! " + c()
	case 34:
		return "time { " + c() + "; }"
	case 35:
		return "test -v 'b[$(" + fruits[g.r.IntN(len(fruits))] + " >&2)]'"
	case 36:
		return "printf -v 'b[$(" + fruits[g.r.IntN(len(fruits))] + " >&2; echo 0)]' x"
	case 37:
		return "y='b[$(" + fruits[g.r.IntN(len(fruits))] + " >&2; echo 0)]'; echo $((y))"
	case 38:
		return "echo `" + fruits[g.r.IntN(len(fruits))] + "`"
	case 39:
		return "until ! " + g.fruit() + "; do " + c() + "; break; done"
	case 40:
		return "{ " + c() + "; } &"
	case 41:
		name := fruits[g.r.IntN(len(fruits))]
		return "v=" + name + "; $v"
	case 42:
		name := fruits[g.r.IntN(len(fruits))]
		return "v=" + name[:2] + "; ${v}" + name[2:]
	case 43:
		name := g.fresh("fn")
		return name + `() { "$@"; }; ` + name + " " + fruits[g.r.IntN(len(fruits))]
	case 44:
		return "set -- " + fruits[g.r.IntN(len(fruits))] + `; "$@"`
	case 45:
		return "for v in " + fruits[g.r.IntN(len(fruits))] + " " + fruits[g.r.IntN(len(fruits))] + "; do $v; done"
	case 46:
		return "w=(" + fruits[g.r.IntN(len(fruits))] + ` x); "${w[@]}"`
	case 47:
		return "bash -c '\"$1\"' _ " + fruits[g.r.IntN(len(fruits))]
	case 48:
		return "source <(echo " + fruits[g.r.IntN(len(fruits))] + ")"
	case 49:
		name := fruits[g.r.IntN(len(fruits))]
		return "printf '%s' " + name[:1] + " " + name[1:] + " | bash"
	case 50:
		return "mapfile -C " + fruits[g.r.IntN(len(fruits))] + " -c 1 m <<< x"
	case 51:
		return "exec 5> " + g.fresh("out") + "; " + c()
	case 52:
		return g.fruit() + " | tee " + g.fresh("out")
	case 53:
		return "bash <(echo " + fruits[g.r.IntN(len(fruits))] + ")"
	case 54:
		return "{ " + g.fruit() + "; echo " + fruits[g.r.IntN(len(fruits))] + "; } >/dev/null 2> " + g.fresh("out")
	case 55:
		return "coproc { " + c() + "; }; wait"
	case 56:
		return "(( b[$( " + c() + " >/dev/null; echo 0\n)] == 0 ))"
	default:
		return g.fruit() + g.pick("", " a b", " -x", " $HOME", " 2>&1")
	}
}

// Every command that a real bash executes is a target, and every file it makes
// is an edit.
// It says whether the script could be read as a whole.
func (o *orchard) compare(t *testing.T, seed1, seed2 uint64) bool {
	g := &gardener{r: rand.New(rand.NewPCG(seed1, seed2))}
	script := g.command()
	for range g.r.IntN(3) {
		script += g.pick("\n", "; ", "\n\n") + g.command()
	}
	s := Analyze(script, Place{Dir: "/home/u/p", Home: "/home/u", Roots: []string{"/home/u/p"}})
	if s.Invalid != "" || s.HardLimit != "" {
		t.Errorf("a harmless script is refused (%s%s):\n%s", s.Invalid, s.HardLimit, script)
		return false
	}
	if slices.ContainsFunc(s.Uncertain, said.Plain("the command could not be parsed as shell").Same) {
		return false // it asks as a whole, once
	}
	var heads []string
	for _, c := range s.Commands {
		heads = append(heads, c.Head)
	}
	got := o.run(t, script)
	for _, name := range got.executed {
		if !slices.Contains(heads, name) {
			t.Errorf("bash executed %q, which is no target of %q (doubts %q):\n%s\noutput:\n%s", name, heads, s.Uncertain, script, got.output)
			return true
		}
	}
	for _, file := range got.created {
		if !slices.ContainsFunc(s.Uses, func(u Use) bool { return u.Domain == "edit" && filepath.Base(u.Word) == file }) {
			t.Errorf("bash made the file %q, which is no edit:\n%s", file, script)
		}
	}
	return true
}

// A short deterministic part of FuzzShellTraced.
func TestShellTraced(t *testing.T) {
	o := newOrchard(t)
	unread, scripts := 0, uint64(60)
	if testing.Short() {
		scripts = 10
	}
	for seed := range scripts {
		if !o.compare(t, seed, 111) {
			unread++
		}
	}
	if unread > 6 {
		t.Errorf("%d of %d scripts could not be read: there is little to compare", unread, scripts)
	}
}

// The oracle itself must see: a wrapper's child, a substitution, a new file.
func TestShellTracedSees(t *testing.T) {
	o := newOrchard(t)
	got := o.run(t, "env apple > out1; echo $(berry); eval 'cher\"\"ry'; find . -maxdepth 0 -exec fig \\;")
	for _, name := range []string{"env", "apple", "echo", "berry", "eval", "cherry", "find", "fig"} {
		if !slices.Contains(got.executed, name) {
			t.Errorf("the trace does not show %q: %q", name, got.executed)
		}
	}
	if !slices.Equal(got.created, []string{"out1"}) {
		t.Errorf("files %q", got.created)
	}
}

func FuzzShellTraced(f *testing.F) {
	o := newOrchard(f)
	for seed := range uint64(8) {
		f.Add(seed, uint64(7))
	}
	f.Fuzz(func(t *testing.T, seed1, seed2 uint64) { o.compare(t, seed1, seed2) })
}
