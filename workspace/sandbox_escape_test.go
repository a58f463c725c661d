//go:build linux

package workspace

import (
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/testclient/sample"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

type escape struct {
	name    string
	command string
	// not says at which level it is not refused, which the level reports as
	// missing.
	not string
	// own says at which level it meets a file of the command's own.
	own string
}

// escapes are ways out. Each says "tried" when it really ran, then either "got
// in" or "kept out". A host-side comparison of the world follows each.
var escapes = []escape{
	{"write outside", `probe write $OUT/new`, "", ""},
	{"change outside", `probe write $OUT/file`, "", ""},
	{"append outside by the shell", `sh echo x >> $OUT/file`, "", ""},
	{"remove outside", `sh rm $OUT/file`, "", ""},
	{"rename outside", `sh mv $OUT/file $OUT/file2`, "", ""},
	{"truncate outside", `probe truncate $OUT/file`, "", ""},
	{"make a directory outside", `sh mkdir $OUT/newdir`, "", ""},
	{"chmod outside", `probe chmod $OUT/file`, "landlock", ""},
	{"touch outside", `probe utimes $OUT/file`, "landlock", ""},
	{"extended attribute outside", `probe setxattr $OUT/file`, "landlock", ""},
	{"symlink that leads out", `probe write link/file`, "", ""},
	{"symlink made by the command", `sh ln -s $OUT mine && ./probe escape write mine/new`, "", ""},
	{"hard link to outside", `probe link $OUT/file $VAULT/hard`, "", ""},
	{"through /proc/self/root", `probe write /proc/self/root$OUT/new`, "", ""},
	{"through /proc/self/cwd", `probe write /proc/self/cwd/../outside/new`, "", ""},
	{"through the root of the first process", `probe write /proc/1/root$OUT/new`, "", ""},
	{"the person's start-up file", `probe write $USER/.bashrc`, "", "namespaces"},
	{"a new start-up file", `probe write $USER/.profile`, "", "namespaces"},
	{"the system", `probe write /etc/agent-sidecar-escape`, "", ""},
	{"the kernel's core pattern", `probe open /proc/sys/kernel/core_pattern`, "", ""},
	{"system request", `probe open /proc/sysrq-trigger`, "", ""},
	{"a control group", `sh mkdir /sys/fs/cgroup/agent-sidecar-escape`, "", ""},
	{"a disk", `sh for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/mem; do ./probe escape open $d && exit 0; done; false`, "", ""},

	{"read the person's key", `probe read $USER/.ssh/id_rsa`, "", ""},
	{"read a token", `probe read $USER/.npmrc`, "", ""},
	{"read the sidecar's keys", `probe read $SIDECAR/config.jsonc`, "", ""},
	{"write the sidecar's configuration", `probe write $SIDECAR/config.jsonc`, "", "namespaces"},
	{"read by a symlink", `sh ln -s $USER/.ssh here && ./probe escape read here/id_rsa`, "", ""},
	{"read by the root of the first process", `probe read /proc/1/root$USER/.ssh/id_rsa`, "", ""},
	{"read by the sidecar's root", `probe read /proc/$ME/root$USER/.ssh/id_rsa`, "", ""},
	{"open by handle", `probe handle $USER/.ssh/id_rsa`, "", ""},
	{"shared memory", `probe read $SHM`, "", ""},
	{"the person's terminal", `probe listen $PTY`, "", ""},
	{"the environment of a process", `probe read /proc/$PID/environ`, "", ""},
	{"the environment of the first process", `sh test $(cut -d' ' -f4 /proc/$$/stat) = 1 && ./probe escape read /proc/1/environ`, "", ""},
	{"the memory of the sidecar", `probe read /proc/$ME/mem`, "", ""},
	{"trace a process", `probe ptrace $PID`, "", ""},
	{"read another's memory by a call", `probe vmread $PID`, "", ""},
	{"end a process", `probe kill $PID`, "", ""},
	{"take a descriptor", `probe pidfd $PID`, "", ""},

	{"TCP to this machine", `probe dial tcp $TCP`, "", ""},
	{"TCP by the shell", `sh exec 3<>/dev/tcp/127.0.0.1/${TCPPORT}`, "", ""},
	{"UDP to this machine", `probe dial udp $UDP`, "", ""},
	{"DNS by UDP", `probe dial udp 1.1.1.1:53`, "", ""},
	{"TCP outside", `probe dial tcp 1.1.1.1:443`, "", ""},
	{"a raw packet", `probe socket packet`, "", ""},
	{"the host of a virtual machine", `probe socket vsock`, "", ""},
	{"the kernel's cryptography", `probe socket alg`, "", ""},
	{"a unix socket", `probe dial unix $BASE/daemon.sock`, "", ""},
	{"a unix socket that was bound by a relative name", `probe dial unix $BASE/beside.sock`, "", ""},
	{"an abstract unix socket", `probe dial unix $ABSTRACT`, "", ""},
	{"docker", `sh ls /var/run/docker.sock /run/docker.sock`, "", ""},
	{"the display", `sh ls /tmp/.X11-unix/X0`, "", ""},

	{"a user namespace", `probe unshare`, "", ""},
	{"a user namespace by clone", `probe cloneuser`, "", ""},
	{"a mount", `probe mount`, "", ""},
	{"take a cover away", `probe umount $USER/.ssh`, "", ""},
	{"another mount namespace", `probe setns /proc/$PID/ns/mnt`, "", ""},
	{"io_uring", `probe io_uring`, "", ""},
	{"the person's keyring", `probe keyctl`, "", ""},
	{"programs in the kernel", `probe bpf`, "", ""},
	{"another user", `probe setuid`, "", ""},
	{"the other set of system calls", `probe x32`, "", ""},
	{"type into a terminal", `probe tiocsti`, "", ""},
	{"capabilities", `sh test $(grep -Ec '^Cap(Inh|Prm|Eff|Amb):\s0+$' /proc/self/status) != 4`, "", ""},
	{"new privileges", `sh ! grep -q '^NoNewPrivs:\s1$' /proc/self/status`, "", ""},
	{"no filter", `sh ! grep -q '^Seccomp:\s2$' /proc/self/status`, "", ""},
	{"inherited descriptors", `sh test "$(ls /proc/self/fd | wc -l)" -gt 4`, "", ""},
}

// probeCommand makes the shell text of a row.
func probeCommand(row string) string {
	kind, rest, _ := strings.Cut(row, " ")
	if kind == "probe" {
		return "./probe escape " + rest + " && echo got in || echo kept out"
	}
	return "echo tried; (" + rest + ") 2>&1 && echo got in || echo kept out"
}

// linesAtOnce is how many of the rows of a table are lines of one command: all of them, or with
// -thorough one.
func linesAtOnce(all int) int {
	if sample.Thorough() {
		return 1
	}
	return all
}

// inOneCommand runs each text as a line of one command, and gives what each has written.
// Starting a sandbox costs a hundred times what such a line does.
func (w *world) inOneCommand(t *testing.T, lines []string) []string {
	t.Helper()
	const mark = "@@ the next line\n"
	text, _ := w.run(t, strings.Join(lines, "\nprintf '"+strings.TrimSuffix(mark, "\n")+"\\n'\n"))
	wrote := strings.Split(text, mark)
	if len(wrote) != len(lines) {
		t.Fatalf("%d of %d lines have run: %s", len(wrote), len(lines), text)
	}
	return wrote
}

// TestSandboxLevels says what the others can show on this machine, and fails for
// a level that is not there although all it needs is: or a defect would make its
// tests disappear.
func TestSandboxLevels(t *testing.T) {
	levels := workingLevels(t)
	for name, l := range levels {
		t.Logf("sandbox level %s: tested (%s)", name, l.Name)
	}
	namespaces := exec.Command("/bin/sh", "-c", "mount -t proc proc /proc")
	namespaces.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	able := map[string]bool{
		"landlock":   sandbox.LandlockABI() > 0,
		"namespaces": namespaces.Run() == nil,
		"bubblewrap": exec.Command("bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "true").Run() == nil,
	}
	for name, is := range able {
		if _, works := levels[name]; is && !works {
			t.Errorf("level %s does not work, though this machine has what it needs", name)
		}
	}
}

func TestSandboxEscapes(t *testing.T) {
	for name, l := range levelsHere(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, l, sandbox.Settings{})
			copyProbe(t, w.vault+"/probe")
			w.daemons(t)
			_, port, _ := net.SplitHostPort(w.tcp)
			before := w.state(t)
			here := slices.DeleteFunc(slices.Clone(escapes), func(row escape) bool { return row.not == l.Name })
			for some := range slices.Chunk(here, linesAtOnce(len(here))) {
				var commands []string
				for _, row := range some {
					commands = append(commands, strings.ReplaceAll(probeCommand(row.command), "${TCPPORT}", port))
				}
				wrote := w.inOneCommand(t, commands)
				for i, row := range some {
					text := wrote[i]
					in := strings.Contains(text, "got in") && row.own != l.Name
					if !strings.Contains(text, "tried") || in || !in && row.own != l.Name && !strings.Contains(text, "kept out") || strings.Contains(text, sshKey) {
						t.Errorf("%s: %s", row.name, text)
					}
				}
				if after := w.state(t); after != before {
					t.Fatalf("%s (-thorough tells which) changed the world: %s\n%s", some[0].name, wrote, differing(before, after))
				}
				if n := w.heard.Swap(0); n != 0 {
					t.Errorf("%s (-thorough tells which) reached a daemon outside: %s", some[0].name, wrote)
				}
				if err := w.victim.Process.Signal(sigZero); err != nil {
					t.Fatalf("%s (-thorough tells which) ended a process outside", some[0].name)
				}
			}
		})
	}
}

// TestEscapesAreReal: without a sandbox the same probes get in, or the rows of
// TestSandboxEscapes would show nothing.
func TestEscapesAreReal(t *testing.T) {
	w := newWorld(t, sandbox.Level{Name: proc.None}, sandbox.Settings{})
	copyProbe(t, w.vault+"/probe")
	w.daemons(t)
	commands := []string{
		`probe write $OUT/new`, `probe chmod $OUT/file`, `probe utimes $OUT/file`, `probe write link/file`, `probe link $OUT/file $VAULT/hard`, `probe truncate $OUT/file`,
		`probe write /proc/self/root$OUT/new`, `probe write $USER/.bashrc`, `probe read $USER/.ssh/id_rsa`, `probe read $SIDECAR/config.jsonc`,
		`probe read $SHM`, `probe listen $PTY`, `probe read /proc/$PID/environ`, `probe vmread $PID`, `probe dial tcp $TCP`, `probe dial udp $UDP`, `probe dial unix $BASE/daemon.sock`, `probe dial unix $BASE/beside.sock`, `probe dial unix $ABSTRACT`,
		`probe pidfd $PID`, `probe kill $PID`, `sh ! grep -q '^Seccomp:\s2$' /proc/self/status`,
	}
	var lines []string
	for _, command := range commands {
		lines = append(lines, probeCommand(command))
	}
	for i, text := range w.inOneCommand(t, lines) {
		if !strings.Contains(text, "tried") || !strings.Contains(text, "got in") {
			t.Errorf("%s: %s", commands[i], text)
		}
	}
}
