//go:build linux

package proc

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"
)

// TestMain lets the test binary play the parts of these tests: a confined process, a
// sidecar that is killed, and processes that flee.
func TestMain(m *testing.M) {
	if handled, code := Main(os.Args, nil); handled {
		os.Exit(code)
	}
	switch os.Getenv("PROC_TEST_ROLE") {
	case "conceal":
		concealRole()
		os.Exit(0)
	case "guarded":
		if err := guardedRole(); err != nil {
			panic(err)
		}
		os.Exit(0)
	case "sidecar":
		p, err := Start(context.Background(), Command{
			Args: []string{os.Args[0]}, Dir: "/", Env: []string{"PROC_TEST_ROLE=tree"}, Stdout: os.Stdout,
		})
		if err != nil {
			panic(err)
		}
		p.Wait()
		os.Exit(0)
	case "tree": // leaves in all sorts of places, and stays itself
		for _, attr := range []*syscall.SysProcAttr{{}, {Setsid: true}, {Setpgid: true}} {
			leaf(os.Environ(), attr)
			leaf([]string{"PROC_TEST_ROLE=tree2"}, attr) // without the marker, and its parent ends
		}
		play()
	case "tree2":
		leaf([]string{"PROC_TEST_ROLE=leaf"}, &syscall.SysProcAttr{Setsid: true})
		os.Exit(0)
	case "leaf":
		play()
	}
	os.Exit(m.Run())
}

func leaf(env []string, attr *syscall.SysProcAttr) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env, cmd.SysProcAttr, cmd.Stdout = env, attr, os.Stdout
	for i, e := range cmd.Env {
		if e == "PROC_TEST_ROLE=tree" {
			cmd.Env[i] = "PROC_TEST_ROLE=leaf"
		}
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}

// play says its pid and lives on, deaf to TERM.
func play() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
	fmt.Println(os.Getpid())
	r, _, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	r.Read(make([]byte, 1))
}

const treeSize = 7

// watched are processes of which the kernel tells the end.
type watched map[int]*os.File

func (w watched) add(t *testing.T, pid int) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatalf("process %d: %v", pid, err)
	}
	w[pid] = os.NewFile(uintptr(fd), "pidfd")
}

func (w watched) allEnd(t *testing.T) {
	t.Helper()
	for pid, f := range w {
		fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, 10_000)
		for err == unix.EINTR {
			n, err = unix.Poll(fds, 10_000)
		}
		if n != 1 {
			t.Errorf("process %d lives on (%v)", pid, err)
			unix.Kill(pid, unix.SIGKILL)
		}
		f.Close()
	}
}

// readPIDs takes count lines with a pid each.
func readPIDs(t *testing.T, r *bufio.Reader, count int) watched {
	t.Helper()
	w := watched{}
	for range count {
		line, err := r.ReadString('\n')
		pid, convErr := strconv.Atoi(strings.TrimSpace(line))
		if err != nil || convErr != nil {
			t.Fatalf("%q: %v", line, err)
		}
		w.add(t, pid)
	}
	return w
}

func TestKilledSidecarLeavesNoSurvivor(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	sidecar := exec.Command(os.Args[0])
	sidecar.Env = append(os.Environ(), "PROC_TEST_ROLE=sidecar")
	sidecar.Stdout, sidecar.Stderr = w, os.Stderr
	if err := sidecar.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	out := bufio.NewReader(r)
	tree := readPIDs(t, out, treeSize)
	sidecar.Process.Kill()
	sidecar.Wait()
	tree.allEnd(t)
	if rest, err := io.ReadAll(out); len(rest) > 0 || err != nil { // nobody else held the pipe
		t.Fatalf("%q %v", rest, err)
	}
}

// started is a command with its output.
type started struct {
	*Process
	out *bufio.Reader
}

func start(t *testing.T, ctx context.Context, env []string, args ...string) started {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	p, err := Start(ctx, Command{Args: args, Dir: "/", Env: env, Stdout: w, Stderr: w})
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	return started{p, bufio.NewReader(r)}
}

func shell(t *testing.T, ctx context.Context, script string) started {
	t.Helper()
	return start(t, ctx, []string{"PATH=" + os.Getenv("PATH")}, "/bin/sh", "-c", script)
}

// finish waits for the end and returns it with all output.
func (s started) finish(t *testing.T) (exit Exit, out string, outlived int) {
	t.Helper()
	text, _ := io.ReadAll(s.out)
	exit, err := s.Wait()
	if err != nil {
		t.Errorf("wait: %v", err)
	}
	outlived, err = s.Close()
	if err != nil {
		t.Errorf("close: %v", err)
	}
	return exit, string(text), outlived
}

func TestExit(t *testing.T) {
	for _, row := range []struct {
		script string
		exit   Exit
		out    string
	}{
		{"echo hello; echo err >&2", Exit{}, "hello\nerr\n"},
		{"exit 7", Exit{Code: 7}, ""},
		{"kill -9 $$", Exit{Code: 137, Signal: "SIGKILL"}, ""},
		{"kill $$", Exit{Code: 143, Signal: "SIGTERM"}, ""},
		{"cat; echo $?", Exit{}, "0\n"}, // stdin is the null device
		{"(: </dev/tty) 2>/dev/null || echo no terminal", Exit{}, "no terminal\n"},
		{"pwd; umask >/dev/null; echo ${HOME-none}", Exit{}, "/\nnone\n"},
		{"true & wait", Exit{}, ""},
	} {
		exit, out, outlived := shell(t, t.Context(), row.script).finish(t)
		if exit != row.exit || out != row.out || outlived != 0 {
			t.Errorf("%s: %+v %q, %d outlived", row.script, exit, out, outlived)
		}
	}
}

func TestWhatCannotStart(t *testing.T) {
	for _, row := range []struct {
		c    Command
		want string
	}{
		{Command{Args: []string{"/no/such/program"}, Dir: "/"}, "/no/such/program: no such file"},
		{Command{Args: []string{"/bin/sh"}, Dir: "/no/such/dir"}, "/no/such/dir: no such file"},
		{Command{Args: []string{"/bin/sh"}, Dir: "/", Confine: Confinement{Level: Landlock}}, `sandbox level "landlock" is not available`},
		{Command{Args: []string{"/bin/sh"}, Dir: "/", Confine: Confinement{Level: "best"}}, `sandbox level "best" is not available`},
	} {
		p, err := Start(t.Context(), row.c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Wait(); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("got %v, want %s", err, row.want)
		}
		if _, err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []Command{{}, {Args: []string{"sh"}, Dir: "/"}, {Args: []string{"/bin/sh"}, Dir: "."}} {
		if _, err := Start(t.Context(), c); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}

// The tree holds processes that ignore TERM, left the session, left the group,
// lost the marker and lost their parent.
func TestStopEndsTheWholeTree(t *testing.T) {
	s := start(t, t.Context(), []string{"PROC_TEST_ROLE=tree"}, executablePath(t))
	tree := readPIDs(t, s.out, treeSize)
	s.Stop(10 * time.Millisecond)
	tree.allEnd(t)
	if exit, _, _ := s.finish(t); exit.Signal != "SIGKILL" {
		t.Errorf("%+v", exit)
	}
}

func executablePath(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCancelStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := shell(t, ctx, "echo ready; exec sleep 1000")
	s.out.ReadString('\n')
	cancel()
	if exit, _, _ := s.finish(t); exit.Signal != "SIGTERM" { // behind the grace it would be SIGKILL
		t.Errorf("%+v", exit)
	}
	if _, err := Start(ctx, Command{Args: []string{"/bin/sh"}, Dir: "/"}); err == nil {
		t.Error("started although cancelled")
	}
}

func TestWhatIsLeftBehindEndsWithClose(t *testing.T) {
	s := shell(t, t.Context(), "sleep 1000 & echo $!; (setsid sleep 1000 & echo $!)")
	tree := readPIDs(t, s.out, 2)
	if exit, err := s.Wait(); exit != (Exit{}) || err != nil {
		t.Fatal(exit, err)
	}
	if outlived, err := s.Close(); outlived != 2 || err != nil {
		t.Errorf("%d outlived, %v", outlived, err)
	}
	tree.allEnd(t)
}

func TestCommandThatKillsItsGuard(t *testing.T) {
	s := shell(t, t.Context(), "sleep 1000 & echo $!; setsid sleep 1000 & echo $!; kill -9 $PPID; sleep 1000")
	tree := readPIDs(t, s.out, 2)
	if _, err := s.Wait(); err == nil {
		t.Error("no error")
	}
	s.Close()
	tree.allEnd(t)
}

func TestCommandThatStopsItsGuard(t *testing.T) {
	s := shell(t, t.Context(), "kill -STOP $PPID; echo ready; exec sleep 1000")
	s.out.ReadString('\n')
	s.Stop(Grace)
	if exit, _, _ := s.finish(t); exit.Signal != "SIGTERM" {
		t.Errorf("%+v", exit)
	}
}

// A tree that grows while it is read must not outrun its end.
func TestForkHeavyCommand(t *testing.T) {
	s := shell(t, t.Context(), "trap '' TERM; i=0; while :; do i=$((i+1)); sleep 1000 & [ $i = 100 ] && echo ready; done")
	if line, err := s.out.ReadString('\n'); line != "ready\n" {
		t.Fatal(line, err)
	}
	s.Stop(0)
	if exit, _, _ := s.finish(t); exit.Signal != "SIGKILL" {
		t.Errorf("%+v", exit)
	}
}

func TestNothingIsInherited(t *testing.T) {
	fd, err := unix.Dup(1) // not close-on-exec, as an editor may leave one
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	t.Setenv("PROC_TEST_SECRET", "x")
	_, out, _ := shell(t, t.Context(), "ls /proc/$$/fd; echo --; env").finish(t)
	fds, env, _ := strings.Cut(out, "--\n")
	if fds != "0\n1\n2\n" {
		t.Errorf("descriptors of the command: %q", fds)
	}
	if strings.Contains(env, "SECRET") || !strings.Contains(env, MarkerName+"=") {
		t.Errorf("environment: %s", env)
	}
	p, err := Start(t.Context(), Command{Args: []string{"/usr/bin/env"}, Dir: "/"}) // Env nil is empty, not ours
	if err != nil {
		t.Fatal(err)
	}
	p.Wait()
	p.Close()
}

func TestManyAtOnce(t *testing.T) {
	before := openFiles(t)
	t.Run("all", func(t *testing.T) {
		for i := range 6 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				if exit, out, _ := shell(t, t.Context(), fmt.Sprintf("echo %d; exit %d", i, i)).finish(t); exit.Code != i || out != fmt.Sprintln(i) {
					t.Errorf("%d: %+v %q", i, exit, out)
				}
			})
		}
	})
	if after := openFiles(t); after != before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
	if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err != unix.ECHILD {
		t.Errorf("a child is left: %d %v", pid, err)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestInsideABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		if exit, out, _ := shell(t, t.Context(), "echo hi; exit 3").finish(t); exit.Code != 3 || out != "hi\n" {
			t.Errorf("%+v %q", exit, out)
		}
		if took := time.Since(begun); took != 0 {
			t.Errorf("the fake clock moved by %v", took)
		}
	})
}

func BenchmarkTrue(b *testing.B) {
	for b.Loop() {
		p, err := Start(b.Context(), Command{Args: []string{"/bin/true"}, Dir: "/", Env: []string{}})
		if err != nil {
			b.Fatal(err)
		}
		p.Wait()
		p.Close()
	}
}
