package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/runner"
	"github.com/agent-sidecar/agent-sidecar/testclient"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// overSSH are conversations through a real ssh and a real sshd.
const overSSH = "../../testclient/testdata/ssh"

// openSSH is where testclient/hosts/install-sshd.sh has put them, beside what the machine has.
const openSSH = "../../.test-hosts/sshd/bin"

// TestOverSSH plays conversations with a worker that a real sshd starts. What is killed,
// and what is stopped, are the real processes.
func TestOverSSH(t *testing.T) {
	if testing.Short() {
		t.Skip("not run: -short starts no program")
	}
	tools := newSSHTools(t)
	for name, kill := range map[string]string{
		"killed client":  `kill -9 "$(cat "$HOME/ssh/client.pid")"`,
		"killed session": `ssh box 'kill -9 $(cat ~/session.pid)'`,
		"killed worker":  `ssh box 'kill -9 $(cat ~/worker.pid)'`,
		"sidecar":        "",
		"large":          "",
		"refused":        "",
		"silent":         "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, _, _ := strings.Cut(name, " ")
			file = filepath.Join(overSSH, file+".txtar")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c, err := testclient.ParseConversation(name, strings.ReplaceAll(string(text), "KILL", kill))
			if err != nil {
				t.Fatal(err)
			}
			start := tools.before(t, startBinary(t))
			if name == "silent" {
				start = tools.before(t, startQuick(t))
			}
			converse(t, c, file, testclient.Options{Dir: roomOf(t), Start: start, Update: *update && kill == ""})
		})
	}
}

// sshTools are programs that a conversation finds in PATH before all others: ssh, with
// the configuration of the test, and there, which says what runs behind it.
type sshTools struct{ dir, ssh, sshd, keygen, program, older string }

func newSSHTools(t *testing.T) *sshTools {
	if os.Getuid() != 0 {
		t.Skip("not run: sshd needs root for what it does before it serves anybody")
	}
	var s sshTools
	for name, path := range map[string]*string{"sshd": &s.sshd, "ssh": &s.ssh, "ssh-keygen": &s.keygen} {
		installed, err := exec.LookPath(name)
		unpacked, _ := filepath.Abs(filepath.Join(openSSH, name))
		if _, missing := os.Stat(unpacked); missing == nil {
			installed = unpacked
		} else if err != nil {
			t.Skipf("not run: there is no %s; bash testclient/hosts/install-sshd.sh bookworm .test-hosts/sshd gets one", name)
		}
		*path = installed
	}
	var err error
	if s.program, err = binary(); err != nil {
		t.Fatal(err)
	}
	s.dir = t.TempDir()
	s.older = filepath.Join(s.dir, "older")
	build := exec.Command("go", "build", "-ldflags", "-X main.version=0.0.9", "-o", s.older, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", s.dir+":"+os.Getenv("PATH"))
	s.script(t, "ssh", fmt.Sprintf(`case "$*" in *worker) echo $$ >"$HOME/ssh/client.pid" ;; esac; exec '%s' -F "$HOME/ssh/config" "$@"`, s.ssh))
	s.script(t, "there", fmt.Sprintf(`exec '%s' there "$(cat "$HOME/ssh/sshd.pid")" "$@"`, self))
	return &s
}

func (s *sshTools) script(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// before starts a sshd for the home of a conversation before its first server.
func (s *sshTools) before(t *testing.T, start func(testclient.Env) (*testclient.Process, error)) func(testclient.Env) (*testclient.Process, error) {
	served := map[string]bool{}
	return func(e testclient.Env) (*testclient.Process, error) {
		if !served[e.Home] { // an update plays in two homes
			served[e.Home] = true
			if err := s.serve(t, e.Home); err != nil {
				return nil, err
			}
		}
		return start(e)
	}
}

// serve starts a sshd on loopback whose users have their home in far of a home here. It is
// the first process of a namespace, so that nothing of it outlives it. Each of its ports is
// another machine: box has this agent-sidecar, bare none and old another version.
func (s *sshTools) serve(t *testing.T, home string) error {
	dir := filepath.Join(home, "ssh")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	files := map[string]string{}
	for _, key := range []string{"host", "key", "other"} {
		path := filepath.Join(dir, key)
		if out, err := exec.Command(s.keygen, "-q", "-t", "ed25519", "-N", "", "-f", path).CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
		public, err := os.ReadFile(path + ".pub")
		if err != nil {
			return err
		}
		files[key] = string(public)
	}
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	far := filepath.Join(home, "far")
	users, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return err
	}
	config := "UsePAM no\nStrictModes no\nPermitRootLogin prohibit-password\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nPidFile none\nMaxStartups 100\n" +
		fmt.Sprintf("HostKey \"%s/host\"\nAuthorizedKeysFile \"%s/key.pub\"\n", dir, dir)
	match := ""
	client := fmt.Sprintf("IdentitiesOnly yes\nBatchMode yes\nUserKnownHostsFile \"%s/known\"\nHostName 127.0.0.1\nUser root\nHost refused\n IdentityFile \"%s/other\"\nHost box bare old\n IdentityFile \"%s/key\"\n", dir, dir, dir)
	for i, port := range ports {
		name, has := []string{"box", "bare", "old"}[i], []string{s.program, "", s.older}[i]
		path := os.Getenv("PATH")[len(s.dir)+1:] + ":/usr/bin:/bin"
		if has != "" {
			s.script(t, name+"/agent-sidecar", fmt.Sprintf(`case "$1" in worker) echo $$ >"$HOME/worker.pid"; echo $PPID >"$HOME/session.pid" ;; esac; exec '%s' "$@"`, has))
			path = filepath.Join(s.dir, name) + ":" + path
		}
		config += fmt.Sprintf("ListenAddress 127.0.0.1:%d\n", port)
		match += fmt.Sprintf("Match LocalPort %d\n SetEnv \"HOME=%s\" \"PATH=%s\"\n", port, far, path)
		client += fmt.Sprintf("Host %s\n Port %d\n", name, port)
		files["known"] += fmt.Sprintf("[127.0.0.1]:%d %s", port, files["host"])
	}
	client += fmt.Sprintf("Host refused\n Port %d\n", ports[0])
	for name, text := range map[string]string{
		"known": files["known"], "config": client, "sshd_config": config + match,
		"passwd": "root:*:0:0:root:/:/bin/sh\nsshd:*:74:65534::/run/sshd:/usr/sbin/nologin\n" + string(users),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	cmd := exec.Command("sh", "-ec", `mount --make-rprivate / && mount -t proc proc /proc && mount --bind "$1/passwd" /etc/passwd &&
		mount -t tmpfs tmpfs /run && mkdir -m 755 /run/sshd && exec "$2" -D -e -f "$1/sshd_config"`, "sshd", dir, s.sshd)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	cmd.Dir = "/"
	said, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("not run: no namespace can be made here: %v", err)
	}
	lines := bufio.NewScanner(said)
	var all strings.Builder
	listening := 0
	for listening < len(ports) && lines.Scan() {
		fmt.Fprintln(&all, lines.Text())
		if strings.Contains(lines.Text(), "Server listening on") {
			listening++
		}
	}
	log := make(chan struct{})
	go func() { // sshd waits where nobody reads
		defer close(log)
		for lines.Scan() {
			fmt.Fprintln(&all, lines.Text())
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-log
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("sshd said:\n%s", all.String())
		}
	})
	if listening < len(ports) {
		<-log
		if strings.Contains(all.String(), "mount") {
			t.Skipf("not run: nothing can be mounted here: %s", all.String())
		}
		return fmt.Errorf("sshd does not serve:\n%s", all.String())
	}
	return os.WriteFile(filepath.Join(dir, "sshd.pid"), []byte(strconv.Itoa(cmd.Process.Pid)), 0o644)
}

// freePorts are ports of loopback that nobody listened on just now.
func freePorts(n int) (ports []int, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// quick is a silence that a test can wait for: longer than the beat, and than this machine
// may be busy with others.
const quick = 12 * time.Second

// startQuick serves in this process, with the commands of runners, and a short silence.
func startQuick(t *testing.T) func(testclient.Env) (*testclient.Process, error) {
	return func(e testclient.Env) (*testclient.Process, error) {
		p, _, err := serveWith(t, sandbox.NewProber(""), &durable.Disk{}, e, func(w *wiring) {
			w.dialTo = func(r config.Runner) runner.Dial {
				return func(ctx context.Context) (runner.Pipe, error) {
					pipe, err := runner.Command{Connect: r.Connect, Env: w.environ(), Dir: e.Home}.Dial(ctx)
					if err != nil {
						return pipe, err
					}
					pipe.Silence = quick
					return scanned(t, e, pipe), nil
				}
			}
		})
		return p, err
	}
}

// there is what conversations ask about the processes in the namespace of an sshd: "running"
// lists them, "await" waits until those named are none of them, and "empty" until there is
// only that sshd.
func there(args []string) error {
	in := func(pid string) bool { // behind it, in whatever namespace of its own
		for pid != args[0] {
			if pid = parentOf(pid); pid == "" {
				return false
			}
			if pid == args[0] {
				return true
			}
		}
		return false
	}
	running := func() (pids []string) {
		all, _ := filepath.Glob("/proc/[0-9]*")
		for _, path := range all {
			if pid := filepath.Base(path); in(pid) {
				pids = append(pids, pid)
			}
		}
		return pids
	}
	switch args[1] {
	case "running":
		for _, pid := range running() {
			fmt.Println(pid)
		}
	case "await":
		for _, pid := range args[2:] {
			if err := outlive(pid, in); err != nil {
				return err
			}
		}
	case "empty":
		for left := running(); len(left) > 0; left = running() {
			if err := outlive(left[0], in); err != nil {
				return err
			}
		}
	}
	return nil
}

// parentOf is the process that started one, or has taken it over; "" for none.
func parentOf(pid string) string {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:])) // a name may have blanks
	if len(fields) < 2 || fields[1] == "0" {
		return ""
	}
	return fields[1]
}

// outlive waits until a process has ended.
func outlive(pid string, in func(pid string) bool) error {
	n, err := strconv.Atoi(pid)
	if err != nil {
		return err
	}
	const pidfdOpen, nonblock = 434, syscall.O_NONBLOCK
	fd, _, errno := syscall.Syscall(pidfdOpen, uintptr(n), nonblock, 0)
	if errno == syscall.ESRCH || errno == 0 && !in(pid) { // a number may be another process's by now
		return nil
	}
	if errno != 0 {
		return errno
	}
	f := os.NewFile(fd, "pidfd")
	defer f.Close()
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	asked := false
	return raw.Read(func(uintptr) bool { // readable when it has ended
		was := asked
		asked = true
		return was
	})
}
