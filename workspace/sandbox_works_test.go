//go:build linux

package workspace

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// TestSandboxWorks: what people do in a project every day runs as it does
// without a sandbox.
func TestSandboxWorks(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, l, sandbox.Settings{})
			for _, row := range []struct{ command, want string }{
				{"echo out; echo err >&2", "out\nerr\n"},
				{"exit 3", "(exit code 3)"},
				{"kill -9 $$", "(ended by signal SIGKILL, exit code 137)"},
				{"kill -TERM $$", "(ended by signal SIGTERM, exit code 143)"},
				{"echo new > new.txt; mkdir -p a/b; mv new.txt a/b/; cat a/b/new.txt; ln a/b/new.txt hard; chmod 755 hard; rm hard", "new\n"},
				{"echo private > $TMPDIR/kept", "(no output, exit code 0)"},
				{"cat $TMPDIR/kept", "private\n"}, // the next command of this workspace has it still
				{"f=$(mktemp) && echo x > $f && cat $f", "x\n"},
				{"true & wait; echo $?", "0\n"},
				{"sleep 1000 >/dev/null 2>&1 & echo started", "started\n(processes left running in the background were stopped: 1)"},
				{"(sleep 1000 >/dev/null 2>&1 &); (setsid sleep 1000 >/dev/null 2>&1 &); echo started", "started\n(processes left running in the background were stopped: 2)"},
				{"cat <(echo from a process)", "from a process\n"},
				{"cat main.go | wc -l | tr -d ' '", "1\n"},
				{"cat $USER/notes.txt 2>/dev/null || echo refused", "refused\n"},             // of the home only toolchains
				{"echo $HOME | grep -c / ; id -u", "1\n" + strconv.Itoa(os.Getuid()) + "\n"}, // the person is the person
				{"test -w /dev/null && head -c 4 /dev/urandom | wc -c | tr -d ' '", "4\n"},
				{"mkdir -p \"$GOCACHE\" \"$npm_config_cache\" && touch \"$XDG_CACHE_HOME/x\" \"$GOCACHE/y\" && echo cached", "cached\n"},
				{"trap 'echo cleaned up' EXIT; exit 0", "cleaned up\n"},
				{`bash -c 'ulimit -n' | grep -c .`, "1\n"},
			} {
				text, _ := w.run(t, row.command)
				if text != row.want {
					t.Errorf("%s: %q, want %q", row.command, text, row.want)
				}
			}
		})
	}
}

// TestSandboxWorksWithTools: git and go, where they are installed, without a
// network.
func TestSandboxWorksWithTools(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, l, sandbox.Settings{})
			if git, err := exec.LookPath("git"); err != nil {
				t.Log("not run: git is not installed")
			} else {
				os.RemoveAll(w.vault + "/.git")
				os.RemoveAll(w.vault + "/sub")
				if out, err := exec.Command(git, "init", "-q", w.vault).CombinedOutput(); err != nil {
					t.Fatalf("%v %s", err, out)
				}
				text, failed := w.runWith(t, `git add main.go && git -c user.name=a -c user.email=a@b commit -qm first && git status --short main.go && git log --oneline | wc -l | tr -d ' ' && git checkout -qb other && git tag one && git stash list`, tool.NeedGit)
				if failed || text != "1\n" {
					t.Errorf("git: %s", text)
				}
			}
			if testing.Short() {
				t.Skip("not run: go test in the sandbox (short)")
			}
			for path, text := range map[string]string{
				"go.mod":       "module example.org/x\n\ngo 1.21\n",
				"main_test.go": "package main\n\nimport (\n\t\"io\"\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestX(t *testing.T) { io.WriteString(os.Stdout, t.TempDir()+\"\\n\") }\n",
				"main.go":      "package main\n\nfunc main() {}\n",
			} {
				if err := os.WriteFile(w.vault+"/"+path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			golang, err := exec.LookPath("go")
			if err != nil {
				t.Skip("not run: go test in the sandbox: there is no go")
			}
			cache, err := exec.Command(golang, "env", "GOCACHE").Output()
			if err != nil {
				t.Skip("not run: go test in the sandbox: there is no go")
			}
			// With the cache of this machine, or the standard library is built anew.
			w.v.sandbox = func() sandbox.Settings { return sandbox.Settings{Writable: []string{strings.TrimSpace(string(cache))}} }
			text, failed := w.run(t, "export GOCACHE="+strings.TrimSpace(string(cache))+" GOFLAGS=-buildvcs=false; "+golang+" test ./... && "+golang+" build -o prog . && ./prog && echo built")
			if failed || !strings.Contains(text, "built") {
				t.Errorf("go: %s", text)
			}
		})
	}
}

// TestSandboxNetwork: off unless it was granted; at level namespaces a test that
// talks to itself works all the same.
func TestSandboxNetwork(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, l, sandbox.Settings{})
			w.daemons(t)
			_, port, _ := net.SplitHostPort(w.tcp)
			dial := "exec 3<>/dev/tcp/127.0.0.1/" + port + " && echo x >&3 && echo connected"
			text, failed := w.run(t, dial)
			if !failed || !strings.Contains(text, `call again with needs: "network"`) || w.heard.Load() != 0 {
				t.Errorf("%d: %s", w.heard.Load(), text)
			}
			r, err := outputtest.Allowed(t.Context(), bashPlan(t, newBash(w.v, "0001"), map[string]any{"command": dial, "needs": "network", "reason": "a test"}), &outputtest.Kept{})
			if err != nil || r.Failed || r.Text != "connected\n" {
				t.Errorf("granted: %v %s", err, r.Text)
			}
			p := bashPlan(t, newBash(w.v, "0001"), map[string]any{"command": dial})
			p.Needs = tool.Needs{tool.NeedNetwork} // what the session sets where the analysis knows it
			if r, err := outputtest.Allowed(t.Context(), p, &outputtest.Kept{}); err != nil || r.Failed || r.Text != "connected\n" {
				t.Errorf("granted by the analysis: %v %s", err, r.Text)
			}
			w.v.sandbox = func() sandbox.Settings { return sandbox.Settings{Network: true} }
			if text, failed := w.run(t, dial); failed || text != "connected\n" {
				t.Errorf("open: %s", text)
			}
			// The network is not the rest.
			if text, _ := w.run(t, "cat $USER/.ssh/id_rsa; echo x > $OUT/new"); strings.Contains(text, sshKey) || exists(w.outside+"/new") {
				t.Errorf("with the network: %s", text)
			}
			copyProbe(t, w.vault+"/probe")
			for _, what := range []string{"socket packet", "socket vsock", "socket alg", "dial unix $ABSTRACT", "dial unix $BASE/daemon.sock", "dial unix $BASE/beside.sock", "kill $PID"} {
				if text, _ := w.run(t, "./probe escape "+what); !strings.Contains(text, "refused") {
					t.Errorf("with the network, %s: %s", what, text)
				}
			}
		})
	}
}

// TestSandboxSettings: unconfined, off, required, writable, keepEnv.
func TestSandboxSettings(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, l, sandbox.Settings{})
			outside := "echo x > $OUT/new"
			text, failed := w.run(t, outside)
			if !failed || !strings.Contains(text, `call again with needs: "unconfined"`) || exists(w.outside+"/new") {
				t.Errorf("refused: %s", text)
			}
			if text, failed := w.run(t, "cat $OUT/file"); !failed || !strings.Contains(text, `call again with needs: "unconfined"`) {
				t.Errorf("not there: %s", text)
			}
			w.v.sandbox = func() sandbox.Settings {
				return sandbox.Settings{Readable: []string{w.outside + "/dir", "~/notes.txt", "/", "relative"}}
			}
			if text, _ := w.run(t, "cat $USER/notes.txt $OUT/dir/file; echo x 2>/dev/null >> $OUT/dir/file || echo refused; cat $OUT/file 2>/dev/null || echo refused"); text != "notes\noutside\nrefused\nrefused\n" {
				t.Errorf("readable: %s", text)
			}
			w.v.sandbox = func() sandbox.Settings { return sandbox.Settings{} }
			r, err := outputtest.Allowed(t.Context(), bashPlan(t, newBash(w.v, "0001"), map[string]any{"command": w.fill("echo x > $OUT/one; echo evil > .envrc"), "needs": "unconfined", "reason": "a test"}), &outputtest.Kept{})
			if err != nil || r.Failed || !exists(w.outside+"/one") || !exists(w.vault+"/.envrc") {
				t.Errorf("unconfined: %v %s", err, r.Text)
			}
			w.v.sandbox = func() sandbox.Settings {
				return sandbox.Settings{Writable: []string{w.outside + "/dir", "~/no/such", "relative", "/"}}
			}
			if text, failed := w.run(t, "echo x > $OUT/dir/new && ! echo x 2>/dev/null > $OUT/new"); failed || !exists(w.outside+"/dir/new") || exists(w.outside+"/new") {
				t.Errorf("writable: %s", text)
			}
			w.v.sandbox = func() sandbox.Settings { return sandbox.Settings{Mode: "off"} }
			if text, failed := w.run(t, outside); failed || !exists(w.outside+"/new") {
				t.Errorf("off: %s", text)
			}
		})
	}
	w := newWorld(t, sandbox.Level{Name: proc.None}, sandbox.Settings{Mode: "required"})
	if text, failed := w.run(t, "echo ran"); !failed || strings.Contains(text, "ran\n") || !strings.Contains(text, "required") {
		t.Errorf("required without a level: %s", text)
	}
}

// TestSandboxStops: a time-out and a cancel end everything, with the grace that
// a command has without a sandbox.
func TestSandboxStops(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, l, sandbox.Settings{})
			mine := strconv.Itoa(os.Getpid()) + strconv.Itoa(int(name[0])) // nobody else has these
			one, two := "4242."+mine, "4243."+mine
			r, err := outputtest.Allowed(t.Context(), bashPlan(t, newBash(w.v, "0001"), map[string]any{
				"command":   "trap 'echo said goodbye; exit 1' TERM; (setsid sleep " + one + " &) ; sleep " + two + " & while :; do wait; done",
				"timeoutMs": 1500,
			}), &outputtest.Kept{})
			if err != nil || !strings.Contains(r.Text, "said goodbye\n") || !strings.Contains(r.Text, "timed out after 1500 ms") {
				t.Errorf("%v: %s", err, r.Text)
			}
			if left := running("sleep\x00"+one, "sleep\x00"+two); len(left) != 0 {
				t.Errorf("still there: %v", left)
			}
		})
	}
}

// running are the processes of this machine with one of these command lines.
func running(lines ...string) []string {
	var out []string
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		text, _ := os.ReadFile(f)
		for _, l := range lines {
			if strings.HasPrefix(string(text), l) {
				out = append(out, f)
			}
		}
	}
	return out
}
