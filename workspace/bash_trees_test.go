//go:build linux

package workspace

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// shells are the bash tool at every sandbox level of this machine, and without one.
func shells(t *testing.T) map[string]func(*testing.T) tool.Tool {
	t.Helper()
	all := map[string]func(*testing.T) tool.Tool{"none": func(t *testing.T) tool.Tool { sh, _ := shellIn(t); return sh }}
	for name, l := range levelsHere(t) {
		all[name] = func(t *testing.T) tool.Tool { return newBash(newWorld(t, l, sandbox.Settings{}).v, "0001") }
	}
	return all
}

// Whatever a command does to escape, nothing of it runs when its result is there, and
// the result does not wait for it. NAP is a sleep of hours whose seconds name the level, the row and
// this process: the other levels run beside it, and the same test may elsewhere.
func TestNothingOfACommandRunsOn(t *testing.T) {
	const left = "ok\n(processes left running in the background were stopped: %d)"
	rows := []struct {
		name, command string
		want          string // "": any
	}{
		{"a child", `NAP >/dev/null 2>&1 & echo ok`, fmt.Sprintf(left, 1)},
		{"one that holds the output", `NAP & echo ok`, fmt.Sprintf(left, 1)},
		{"double fork", `(NAP >/dev/null 2>&1 &); echo ok`, fmt.Sprintf(left, 1)},
		{"nohup", `nohup NAP >/dev/null 2>&1 & echo ok`, fmt.Sprintf(left, 1)},
		{"disown", `NAP >/dev/null 2>&1 & disown; echo ok`, fmt.Sprintf(left, 1)},
		{"own session", `setsid NAP >/dev/null 2>&1 & sleep 0.1; echo ok`, fmt.Sprintf(left, 1)},
		{"own session without the marker", `setsid env -i /bin/NAP >/dev/null 2>&1 & sleep 0.1; echo ok`, fmt.Sprintf(left, 1)},
		{"a daemon", `(setsid env -i /bin/sh -c '/bin/NAP & ' </dev/null >/dev/null 2>&1 &); sleep 0.4; echo ok`, fmt.Sprintf(left, 1)},
		{"deaf to TERM", `(trap '' TERM HUP INT; while :; do NAP; done) >/dev/null 2>&1 & sleep 0.4; echo ok`, fmt.Sprintf(left, 2)},
		{"stopped", `sh -c 'kill -STOP $$; NAP' >/dev/null 2>&1 & sleep 0.4; echo ok`, fmt.Sprintf(left, 1)},
		{"twenty", `for i in $(seq 20); do (NAP &) ; done >/dev/null 2>&1; echo ok`, fmt.Sprintf(left, 20)},
		{"a coprocess", `coproc NAP; echo ok`, fmt.Sprintf(left, 1)},
		{"an exit trap that lasts", `trap 'NAP' EXIT; echo ok; kill $$; NAP`, ""},
		{"its own group", `set -m; NAP >/dev/null 2>&1 & echo ok`, fmt.Sprintf(left, 1)},
		{"closed output", `exec 1>&- 2>&-; NAP & sleep 0.2; exit 4`, "(exit code 4)\n(processes left running in the background were stopped: 1)"},
		{"a zombie", `(sleep 0 & exec sleep 0.2); echo ok`, "ok\n"},
		{"signalled by its own group", `NAP & kill -TERM 0; NAP`, ""},
	}
	here, levels := rowsHere(t), 0
	for level, shell := range shells(t) {
		levels++
		number := levels
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			sh := shell(t)
			for i, row := range rows {
				if !here.tried(level, row.name) {
					continue
				}
				nap := fmt.Sprintf("sleep 9%d000.%03d%d", number, i, os.Getpid())
				limit := 60_000 // what ends by itself may take its time on a busy machine
				if row.want == "" {
					limit = 3000
				}
				p := bashPlan(t, sh, map[string]any{"command": strings.ReplaceAll(row.command, "NAP", nap), "timeoutMs": limit})
				r, err := outputtest.Allowed(t.Context(), p, &outputtest.Kept{})
				if err != nil || row.want != "" && r.Text != row.want {
					t.Errorf("%s: %q %v, want %q", row.name, r.Text, err, row.want)
				}
				if pids := runOn(t, strings.Fields(nap)[1]); len(pids) > 0 {
					t.Errorf("%s: %v run on", row.name, pids)
				}
			}
		})
	}
}

// runOn are the processes whose last argument is arg.
func runOn(t *testing.T, arg string) (pids []int) {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		line, err := os.ReadFile(dir + "/cmdline")
		pid, convErr := strconv.Atoi(filepath.Base(dir))
		if err == nil && convErr == nil && bytes.HasSuffix(line, []byte("\x00"+arg+"\x00")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// Nobody is asked: what wants a terminal, an answer, a pager or an editor goes on
// without, or fails at once.
func TestNobodyIsAsked(t *testing.T) {
	sh, _ := shellIn(t)
	const git = `git -c user.name=a -c user.email=a@b -c init.defaultBranch=main `
	for _, row := range []struct{ needs, command, want string }{
		{"", `read -t 3600 x; echo "[$x] $?"`, "[] 1\n"},
		{"", `read -p 'sure? ' x </dev/tty; echo $?`, "No such device"},
		{"", `: >/dev/tty`, "No such device"},
		{"tty", `tty`, "not a tty"},
		{"stty", `stty size`, "Inappropriate ioctl"},
		{"git", git + `init -q .; ` + git + `commit --allow-empty`, "Aborting commit due to empty commit message"},
		{"git", git + `commit -q --allow-empty -m one; ` + git + `log --format=%s`, "one\n"},
		{"git", git + `commit -q --allow-empty -m two; ` + git + `rebase -q -i --root && echo rebased`, "rebased"},
		{"git", `git -c credential.helper= ls-remote http://127.0.0.1:1/x 2>&1; git -c core.askPass= credential fill <<< $'protocol=https\nhost=h'`, "terminal prompts disabled"},
		{"less", `less /etc/passwd | head -c 4`, "root"},
		{"man", `man ls | head -c 2000 | grep -c . >/dev/null; echo ${PIPESTATUS[1]}`, "0\n"},
		{"top", `top -n 1`, "failed tty get"},
		{"python3", `python3 -c 'input()'`, "EOFError"},
		{"ssh", `ssh -o BatchMode=no -o ConnectTimeout=1 -p 1 127.0.0.1 true`, "refused"},
		{"vim", `timeout 20 vim -u NONE +q`, "not to a terminal"},
		{"", `${EDITOR} x && ${PAGER} <<< paged`, "paged\n"},
		{"", `yes | head -1; echo ${PIPESTATUS[0]}`, "y\n141\n"},
		{"", `select x in a b; do echo $x; done; echo over`, "over\n"},
	} {
		if row.needs != "" {
			if _, err := exec.LookPath(row.needs); err != nil {
				t.Logf("not run: there is no %s: %s", row.needs, row.command)
				continue
			}
		}
		if r := bashRun(t, sh, row.command); !strings.Contains(r.Text, row.want) {
			t.Errorf("%s: %q, want %q", row.command, r.Text, row.want)
		}
	}
}
