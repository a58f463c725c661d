//go:build linux

package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// levelTable is what a command gets done at each level, as the documentation has it:
// namespaces, landlock, none. Later is a file of the workspace that the command changes,
// and whether the change is there when it has ended.
var levelTable = []struct {
	name    string
	command string
	gets    [3]bool
	later   string
	stays   [3]bool
}{
	{"change the workspace", `sh echo x > new`, [3]bool{true, true, true}, "new", [3]bool{true, true, true}},
	{"change what is outside", `probe write $OUT/new`, [3]bool{false, false, true}, "", [3]bool{}},
	{"read the system", `sh test -r /etc/passwd && ls /usr/bin`, [3]bool{true, true, true}, "", [3]bool{}},
	{"read what is outside", `probe read $OUT/file`, [3]bool{false, false, true}, "", [3]bool{}},
	{"read a sensitive file", `probe read .env`, [3]bool{false, true, true}, "", [3]bool{}},
	{"read artifacts of another session", `probe read .agent-output/0002/a.txt`, [3]bool{false, true, true}, "", [3]bool{}},
	{"change a repository", `sh echo x > .git/refs/heads/y`, [3]bool{false, true, true}, ".git/refs/heads/y", [3]bool{false, true, true}},
	{"change a protected file", `sh echo x > AGENTS.md`, [3]bool{false, true, true}, "AGENTS.md", [3]bool{false, false, true}},
	{"make a protected file", `sh echo x > .envrc`, [3]bool{true, true, true}, ".envrc", [3]bool{false, false, true}},
	{"read the home", `probe read $USER/notes.txt`, [3]bool{false, false, true}, "", [3]bool{}},
	{"read the sidecar's home", `probe read $SIDECAR/config.jsonc`, [3]bool{false, false, true}, "", [3]bool{}},
	{"the network", `probe dial tcp $TCP`, [3]bool{false, false, true}, "", [3]bool{}},
	{"a socket of a daemon", `probe dial unix $BASE/daemon.sock`, [3]bool{false, false, true}, "", [3]bool{}},
	{"signal a process", `probe kill $PID`, [3]bool{false, false, true}, "", [3]bool{}},
	{"trace a process", `probe vmread $PID`, [3]bool{false, false, true}, "", [3]bool{}},
	{"read what a process has", `probe read /proc/$PID/environ`, [3]bool{false, false, true}, "", [3]bool{}},
	{"see the list of processes", `sh test -d /proc/$PID`, [3]bool{false, true, true}, "", [3]bool{}},
	{"a terminal", `probe listen $PTY`, [3]bool{false, false, true}, "", [3]bool{}},
	{"shared memory", `probe read $SHM`, [3]bool{false, false, true}, "", [3]bool{}},
	{"shared memory of System V", `probe sysv $SEGMENT`, [3]bool{false, true, true}, "", [3]bool{}},
	{"mode of what is outside", `probe chmod $OUT/file`, [3]bool{false, true, true}, "", [3]bool{}},
	{"times of what is outside", `probe utimes $OUT/file`, [3]bool{false, true, true}, "", [3]bool{}},
	{"the setuid bit", `sh chmod u+s main.go`, [3]bool{false, false, true}, "", [3]bool{}},
}

// behindFilter is the variable that says which calls the test binary shall do without, and
// what they are.
const (
	behindFilter   = "AGENT_SIDECAR_TEST_BEHIND"
	noNamespaces   = "namespaces"
	nothingAtAll   = "landlock"
	anyNewSpace    = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
	firstArgument  = 16
	refusedByOther = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
)

// hideLevels takes the calls away that the better levels need, from this process and all
// that it starts, as a container does.
func hideLevels(upTo string) error {
	if upTo == "" {
		return nil
	}
	stmt := func(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k} }
	test := func(how uint16, k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | how | unix.BPF_K, Jt: yes, Jf: no, K: k}
	}
	load, give := uint16(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS), uint16(unix.BPF_RET|unix.BPF_K)
	p := []unix.SockFilter{stmt(load, 0), test(unix.BPF_JEQ, unix.SYS_CLONE3, 0, 1), stmt(give, unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS))}
	if upTo == nothingAtAll {
		p = append(p, test(unix.BPF_JEQ, unix.SYS_LANDLOCK_CREATE_RULESET, 0, 1), stmt(give, unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS)))
	}
	p = append(p, test(unix.BPF_JEQ, unix.SYS_SETNS, 0, 1), stmt(give, refusedByOther),
		test(unix.BPF_JEQ, unix.SYS_CLONE, 1, 0), test(unix.BPF_JEQ, unix.SYS_UNSHARE, 0, 3),
		stmt(load, firstArgument), test(unix.BPF_JSET, anyNewSpace, 0, 1), stmt(give, refusedByOther), stmt(give, unix.SECCOMP_RET_ALLOW))
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog))); errno != 0 {
		return errno
	}
	return nil
}

// What a person is told of each level is so, at each level that this machine has: with
// namespaces of our own, with bubblewrap's, with landlock and with nothing.
func TestLevelTable(t *testing.T) {
	if os.Getenv(behindFilter) != "" {
		t.Skip("not run: here only one level is there, see TestLevelsBehindAFilter")
	}
	levels := levelsHere(t)
	levels["none"] = sandbox.Level{Name: proc.None}
	for name, l := range levels {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tryLevelTable(t, l)
		})
	}
}

// Where a container refuses namespaces, or landlock too, the program finds the next level
// by itself, and the same table is true.
func TestLevelsBehindAFilter(t *testing.T) {
	if !proc.HasFilter() {
		t.Skip("not run: no filter of system calls here")
	}
	if sandbox.LandlockABI() < 6 {
		t.Skip("not run: level landlock is not there, or not whole")
	}
	for hidden, level := range map[string]string{noNamespaces: proc.Landlock, nothingAtAll: proc.None} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run", "^TestOneLevel$", "-test.v")
			cmd.Env = append(os.Environ(), behindFilter+"="+hidden)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "the level is "+level+"\n") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestOneLevel is what TestLevelsBehindAFilter runs behind a filter.
func TestOneLevel(t *testing.T) {
	if os.Getenv(behindFilter) == "" {
		t.Skip("not run by itself: TestLevelsBehindAFilter does")
	}
	report := sandbox.NewProber(t.TempDir()).Report(sandbox.Settings{})
	t.Logf("the level is %s", report.Level)
	tryLevelTable(t, sandbox.Level{Name: report.Level})
}

// tryLevelTable runs each row of the table at a level.
func tryLevelTable(t *testing.T, l sandbox.Level) {
	column := map[string]int{proc.Namespaces: 0, proc.Landlock: 1, proc.None: 2}[l.Name]
	w := newWorld(t, l, sandbox.Settings{})
	copyProbe(t, w.vault+"/probe")
	put(t, w.vault+"/.agent-output/0002/a.txt", "of another session\n")
	w.daemons(t)
	segment := sharedMemory(t)
	var lines, wrote []string
	for _, row := range levelTable {
		lines = append(lines, strings.ReplaceAll(probeCommand(row.command), "$SEGMENT", segment))
	}
	for some := range slices.Chunk(lines, linesAtOnce(len(lines))) {
		wrote = append(wrote, w.inOneCommand(t, some)...)
	}
	for i, row := range levelTable {
		text := wrote[i]
		if !strings.Contains(text, "tried") || strings.Contains(text, "got in") != row.gets[column] {
			t.Errorf("%s at level %s: %s", row.name, l.Name, text)
		}
		if row.later == "" {
			continue
		}
		now, _ := os.ReadFile(filepath.Join(w.vault, row.later))
		if strings.Contains(string(now), "x\n") != row.stays[column] {
			t.Errorf("%s at level %s: afterwards %q", row.name, l.Name, now)
		}
	}
}
