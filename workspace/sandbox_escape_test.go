//go:build linux

package workspace

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/proc"
)

// levelsHere are the levels that this machine can show, by the names of their
// tests. What it cannot is said by name.
func levelsHere(t *testing.T) map[string]level {
	t.Helper()
	all := map[string]level{
		"bubblewrap": {proc.Namespaces, "not installed"}, "namespaces": {proc.Namespaces, ""}, "landlock": {proc.Landlock, ""},
	}
	for _, path := range bubblewraps {
		if isProgram(path) {
			all["bubblewrap"] = level{proc.Namespaces, path}
			break
		}
	}
	for name, l := range all {
		if err := probe(l); err != nil {
			t.Logf("not run: sandbox level %s: %v", name, err)
			delete(all, name)
		}
	}
	return all
}

// world is a machine to escape to: a Vault, the person's home, the sidecar's
// home, a neighbour's file, a process and daemons outside.
type world struct {
	base, vault, user, home, outside string
	victim                           *exec.Cmd
	tcp, udp, shared, terminal       string
	heard                            atomic.Int64 // connections and packets that arrived
	v                                *Vault
}

const sshKey = "-----PRIVATE-----"

func newWorld(t *testing.T, l level, s SandboxSettings) *world {
	t.Helper()
	base := notTemporary(t)
	w := &world{base: base}
	w.vault, w.user, w.home, w.outside = base+"/vault", base+"/user", base+"/user/.agent-sidecar", base+"/outside"
	for path, text := range map[string]string{
		w.vault + "/main.go": "package main\n", w.vault + "/.git/HEAD": "ref: refs/heads/main\n", w.vault + "/.git/config": "[core]\n",
		w.vault + "/.git/hooks/pre-push": "#!/bin/sh\n", w.vault + "/.git/info/exclude": "", w.vault + "/.git/objects/x": "", w.vault + "/.git/refs/heads/x": "",
		w.vault + "/.vscode/tasks.json": "{}", w.vault + "/sub/.git/config": "[core]\n", w.vault + "/.env": "A=1\n", w.vault + "/AGENTS.md": "agents\n",
		w.user + "/.ssh/id_rsa": sshKey, w.user + "/.npmrc": "_authToken=" + sshKey, w.user + "/.bashrc": "# mine\n", w.user + "/notes.txt": "notes\n",
		w.home + "/config.jsonc": `{"apiKeys": ["` + sshKey + `"]}`, w.outside + "/file": "outside\n", w.outside + "/dir/file": "outside\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(w.outside, w.vault+"/link"); err != nil {
		t.Fatal(err)
	}
	var err error
	w.v, err = Open([]Folder{{Path: w.vault}}, Options{
		Home: w.home, UserHome: w.user, Prober: &Prober{found: &l}, Sandbox: func() SandboxSettings { return s }, Guarded: guardedHere,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.v.Close() })
	return w
}

// notTemporary is a directory that is not below /tmp: there a command has
// another one anyway, and nothing would be shown.
func notTemporary(t *testing.T) string {
	t.Helper()
	home, _ := os.UserHomeDir()
	for _, parent := range []string{"testdata", home} {
		parent, err := filepath.Abs(parent)
		if err == nil {
			parent, err = filepath.EvalSymlinks(parent)
		}
		if err != nil || strings.HasPrefix(parent, "/tmp/") || strings.HasPrefix(parent, "/var/tmp/") {
			continue
		}
		base, err := os.MkdirTemp(parent, "escape-")
		if err == nil {
			t.Cleanup(func() { os.RemoveAll(base) })
			return base
		}
	}
	t.Skip("not run: there is no place outside /tmp for a test of the sandbox")
	return ""
}

// guardedHere is a short form of what the permission side hands over.
var guardedHere = Guarded{
	Protected: func(object string) bool {
		for part := range strings.SplitSeq(strings.TrimPrefix(object, "vault:/"), "/") {
			switch part {
			case ".vscode", ".envrc", "AGENTS.md", ".env", ".husky", ".github", "id_rsa":
				return true
			}
		}
		return false
	},
	Sensitive: func(object string) bool {
		return strings.HasSuffix(object, "/.env") || strings.HasSuffix(object, "id_rsa")
	},
}

// copyProbe puts this test binary where commands can start it.
func copyProbe(t *testing.T, to string) {
	t.Helper()
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	f, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.Copy(f, from); err != nil {
		t.Fatal(err)
	}
}

// daemons are what listens outside; none of it may be reached.
func (w *world) daemons(t *testing.T) {
	t.Helper()
	accept := func(l net.Listener, err error) net.Listener {
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				w.heard.Add(1)
				io.ReadFull(c, make([]byte, 1))
				c.Close()
			}
		}()
		return l
	}
	w.tcp = accept(net.Listen("tcp", "127.0.0.1:0")).Addr().String()
	accept(net.Listen("unix", w.base+"/daemon.sock"))
	accept(net.Listen("unix", "@agent-sidecar-"+filepath.Base(w.base)))
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { packets.Close() })
	w.udp = packets.LocalAddr().String()
	go func() {
		for buf := make([]byte, 10); ; {
			n, from, err := packets.ReadFrom(buf)
			if err != nil {
				return
			}
			w.heard.Add(1)
			packets.WriteTo(buf[:n], from)
		}
	}()
	w.shared = "/dev/shm/agent-sidecar-" + filepath.Base(w.base)
	if err := os.WriteFile(w.shared, []byte(sshKey), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(w.shared) })
	w.terminal = openTerminal(t)
	w.victim = exec.Command("/proc/self/exe", "escape", "wait")
	w.victim.Env = []string{"SECRET_OF_THE_SIDECAR=" + sshKey}
	in, err := w.victim.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); w.victim.Wait() })
}

// fill puts the world into a command.
func (w *world) fill(command string) string {
	victim := ""
	if w.victim != nil {
		victim = fmt.Sprint(w.victim.Process.Pid)
	}
	return strings.NewReplacer("$OUT", w.outside, "$USER", w.user, "$SIDECAR", w.home, "$BASE", w.base, "$VAULT", w.vault,
		"$TCP", w.tcp, "$SHM", w.shared, "$PTY", w.terminal, "$UDP", w.udp, "$PID", victim, "$ME", fmt.Sprint(os.Getpid()),
		"$ABSTRACT", "@agent-sidecar-"+filepath.Base(w.base)).Replace(command)
}

func (w *world) run(t *testing.T, command string) (text string, failed bool) {
	t.Helper()
	r := bashRun(t, newBash(w.v, "0001"), w.fill(command))
	return r.Text, r.Failed
}

// state is everything outside the Vault, and what is protected in it, that no
// command may change.
func (w *world) state(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, dir := range []string{w.outside, w.user, w.vault + "/.git/hooks", w.vault + "/.git/config", w.vault + "/.git/info", w.vault + "/.vscode", w.vault + "/sub/.git/config", w.vault + "/AGENTS.md", w.vault + "/.envrc", w.vault + "/.husky"} {
		filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			if strings.HasPrefix(path, w.home+"/cache") {
				return filepath.SkipDir
			}
			info, err := d.Info()
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %s", path, info.Mode())
			if !d.IsDir() {
				text, _ := os.ReadFile(path)
				fmt.Fprintf(&b, " %s %q", info.ModTime(), text)
			}
			b.WriteString("\n")
			return nil
		})
	}
	return b.String()
}

// escapes are ways out. Each says "tried" when it really ran, then either "got
// in" or "kept out". A host-side comparison of the world follows each.
var escapes = []struct {
	name    string
	command string
	// not says at which level it is not refused, which the level reports as
	// missing.
	not string
}{
	{"write outside", `probe write $OUT/new`, ""},
	{"change outside", `probe write $OUT/file`, ""},
	{"append outside by the shell", `sh echo x >> $OUT/file`, ""},
	{"remove outside", `sh rm $OUT/file`, ""},
	{"rename outside", `sh mv $OUT/file $OUT/file2`, ""},
	{"truncate outside", `probe truncate $OUT/file`, ""},
	{"make a directory outside", `sh mkdir $OUT/newdir`, ""},
	{"chmod outside", `probe chmod $OUT/file`, "landlock"},
	{"touch outside", `probe utimes $OUT/file`, "landlock"},
	{"extended attribute outside", `probe setxattr $OUT/file`, "landlock"},
	{"symlink that leads out", `probe write link/file`, ""},
	{"symlink made by the command", `sh ln -s $OUT mine && ./probe escape write mine/new`, ""},
	{"hard link to outside", `probe link $OUT/file $VAULT/hard`, ""},
	{"through /proc/self/root", `probe write /proc/self/root$OUT/new`, ""},
	{"through /proc/self/cwd", `probe write /proc/self/cwd/../outside/new`, ""},
	{"through the root of the first process", `probe write /proc/1/root$OUT/new`, ""},
	{"the person's start-up file", `probe write $USER/.bashrc`, ""},
	{"a new start-up file", `probe write $USER/.profile`, ""},
	{"the system", `probe write /etc/agent-sidecar-escape`, ""},
	{"the kernel's core pattern", `probe open /proc/sys/kernel/core_pattern`, ""},
	{"system request", `probe open /proc/sysrq-trigger`, ""},
	{"a control group", `sh mkdir /sys/fs/cgroup/agent-sidecar-escape`, ""},
	{"a disk", `sh for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/mem; do ./probe escape open $d && exit 0; done; false`, ""},

	{"read the person's key", `probe read $USER/.ssh/id_rsa`, ""},
	{"read a token", `probe read $USER/.npmrc`, ""},
	{"read the sidecar's keys", `probe read $SIDECAR/config.jsonc`, ""},
	{"write the sidecar's configuration", `probe write $SIDECAR/config.jsonc`, ""},
	{"read by a symlink", `sh ln -s $USER/.ssh here && ./probe escape read here/id_rsa`, ""},
	{"read by the root of the first process", `probe read /proc/1/root$USER/.ssh/id_rsa`, ""},
	{"read by the sidecar's root", `probe read /proc/$ME/root$USER/.ssh/id_rsa`, ""},
	{"open by handle", `probe handle $USER/.ssh/id_rsa`, ""},
	{"shared memory", `probe read $SHM`, ""},
	{"the person's terminal", `probe listen $PTY`, ""},
	{"the environment of a process", `probe read /proc/$PID/environ`, ""},
	{"the environment of the first process", `sh test $(cut -d' ' -f4 /proc/$$/stat) = 1 && ./probe escape read /proc/1/environ`, ""},
	{"the memory of the sidecar", `probe read /proc/$ME/mem`, ""},
	{"trace a process", `probe ptrace $PID`, ""},
	{"read another's memory by a call", `probe vmread $PID`, ""},
	{"end a process", `probe kill $PID`, ""},
	{"take a descriptor", `probe pidfd $PID`, ""},

	{"TCP to this machine", `probe dial tcp $TCP`, ""},
	{"TCP by the shell", `sh exec 3<>/dev/tcp/127.0.0.1/${TCPPORT}`, ""},
	{"UDP to this machine", `probe dial udp $UDP`, ""},
	{"DNS by UDP", `probe dial udp 1.1.1.1:53`, ""},
	{"TCP outside", `probe dial tcp 1.1.1.1:443`, ""},
	{"a raw packet", `probe socket packet`, ""},
	{"the host of a virtual machine", `probe socket vsock`, ""},
	{"the kernel's cryptography", `probe socket alg`, ""},
	{"a unix socket", `probe dial unix $BASE/daemon.sock`, ""},
	{"an abstract unix socket", `probe dial unix $ABSTRACT`, ""},
	{"docker", `sh ls /var/run/docker.sock /run/docker.sock`, ""},
	{"the display", `sh ls /tmp/.X11-unix/X0`, ""},

	{"a user namespace", `probe unshare`, ""},
	{"a user namespace by clone", `probe cloneuser`, ""},
	{"a mount", `probe mount`, ""},
	{"take a cover away", `probe umount $USER/.ssh`, ""},
	{"another mount namespace", `probe setns /proc/$PID/ns/mnt`, ""},
	{"io_uring", `probe io_uring`, ""},
	{"the person's keyring", `probe keyctl`, ""},
	{"programs in the kernel", `probe bpf`, ""},
	{"another user", `probe setuid`, ""},
	{"the other set of system calls", `probe x32`, ""},
	{"type into a terminal", `probe tiocsti`, ""},
	{"capabilities", `sh test $(grep -Ec '^Cap(Inh|Prm|Eff|Amb):\s0+$' /proc/self/status) != 4`, ""},
	{"new privileges", `sh ! grep -q '^NoNewPrivs:\s1$' /proc/self/status`, ""},
	{"no filter", `sh ! grep -q '^Seccomp:\s2$' /proc/self/status`, ""},
	{"inherited descriptors", `sh test "$(ls /proc/self/fd | wc -l)" -gt 4`, ""},
}

// probeCommand makes the shell text of a row.
func probeCommand(row string) string {
	kind, rest, _ := strings.Cut(row, " ")
	if kind == "probe" {
		return "./probe escape " + rest + " && echo got in || echo kept out"
	}
	return "echo tried; (" + rest + ") 2>&1 && echo got in || echo kept out"
}

// TestSandboxLevels says what the others can show on this machine, and fails for
// a level that is not there although all it needs is: or a defect would make its
// tests disappear.
func TestSandboxLevels(t *testing.T) {
	levels := levelsHere(t)
	for name, l := range levels {
		t.Logf("sandbox level %s: tested (%s)", name, l.Name)
	}
	namespaces := exec.Command("/bin/sh", "-c", "mount -t proc proc /proc")
	namespaces.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	able := map[string]bool{
		"landlock":   landlockABI() > 0,
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
			w := newWorld(t, l, SandboxSettings{})
			copyProbe(t, w.vault+"/probe")
			w.daemons(t)
			_, port, _ := net.SplitHostPort(w.tcp)
			before := w.state(t)
			for _, row := range escapes {
				if row.not == l.Name {
					continue
				}
				text, _ := w.run(t, strings.ReplaceAll(probeCommand(row.command), "${TCPPORT}", port))
				if !strings.Contains(text, "tried") || !strings.Contains(text, "kept out") || strings.Contains(text, "got in") || strings.Contains(text, sshKey) {
					t.Errorf("%s: %s", row.name, text)
				}
				if after := w.state(t); after != before {
					t.Fatalf("%s changed the world: %s\n%s", row.name, text, differing(before, after))
				}
				if n := w.heard.Swap(0); n != 0 {
					t.Errorf("%s reached a daemon outside: %s", row.name, text)
				}
				if err := w.victim.Process.Signal(sigZero); err != nil {
					t.Fatalf("%s ended a process outside", row.name)
				}
			}
		})
	}
}

// TestEscapesAreReal: without a sandbox the same probes get in, or the rows of
// TestSandboxEscapes would show nothing.
func TestEscapesAreReal(t *testing.T) {
	w := newWorld(t, level{Name: proc.None}, SandboxSettings{})
	copyProbe(t, w.vault+"/probe")
	w.daemons(t)
	for _, command := range []string{
		`probe write $OUT/new`, `probe chmod $OUT/file`, `probe utimes $OUT/file`, `probe write link/file`, `probe link $OUT/file $VAULT/hard`, `probe truncate $OUT/file`,
		`probe write /proc/self/root$OUT/new`, `probe write $USER/.bashrc`, `probe read $USER/.ssh/id_rsa`, `probe read $SIDECAR/config.jsonc`,
		`probe read $SHM`, `probe listen $PTY`, `probe read /proc/$PID/environ`, `probe vmread $PID`, `probe dial tcp $TCP`, `probe dial udp $UDP`, `probe dial unix $BASE/daemon.sock`, `probe dial unix $ABSTRACT`,
		`probe pidfd $PID`, `probe kill $PID`, `sh ! grep -q '^Seccomp:\s2$' /proc/self/status`,
	} {
		text, _ := w.run(t, probeCommand(command))
		if !strings.Contains(text, "tried") || !strings.Contains(text, "got in") {
			t.Errorf("%s: %s", command, text)
		}
	}
}

// differing are the lines of two states that are not in both.
func differing(a, b string) string {
	var out bytes.Buffer
	for line := range strings.Lines(a) {
		if !strings.Contains(b, line) {
			out.WriteString("- " + line)
		}
	}
	for line := range strings.Lines(b) {
		if !strings.Contains(a, line) {
			out.WriteString("+ " + line)
		}
	}
	return out.String()
}
