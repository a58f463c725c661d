package proc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// inNamespaces is a command that sees the system's programs and nothing else. dir is for
// what it needs.
func inNamespaces(dir string, g *Guards, script string) (Command, error) {
	dir, err := os.MkdirTemp(dir, "") // nobody but root can write to a closed file a second time
	closed, temp := filepath.Join(dir, "closed"), filepath.Join(dir, "tmp")
	err = errors.Join(err, os.WriteFile(closed, nil, 0), os.MkdirAll(temp, 0o700))
	return Command{
		Args: []string{"/bin/sh", "-c", script}, Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}, Guards: g,
		Confine: Confinement{Level: Namespaces, Read: []string{"/usr", "/etc"}, Temp: temp, Closed: closed},
	}, err
}

// guardedRole is a sidecar that keeps the guard of its first command, says which, and gives
// it a second one where there is a script for that.
func guardedRole() error {
	var g Guards
	for _, script := range []string{"true", os.Getenv("PROC_TEST_SCRIPT")} {
		if script == "" {
			play()
		}
		c, err := inNamespaces(os.Getenv("PROC_TEST_DIR"), &g, script)
		if err != nil {
			return err
		}
		c.Stdout = os.Stdout
		p, err := Start(context.Background(), c)
		if err != nil {
			return err
		}
		if script == "true" {
			fmt.Println(p.guard.process.Pid)
		}
		_, waitErr := p.Wait()
		_, closeErr := p.Close()
		if err := errors.Join(waitErr, closeErr); err != nil {
			return err
		}
	}
	return nil
}

// The sidecar is killed while a guard that is used again has a command, and while it has none.
func TestKilledSidecarLeavesNoGuard(t *testing.T) {
	needsNamespaces(t)
	for _, row := range []struct{ script, said string }{
		{"trap '' TERM; setsid sleep 1000 & sleep 1000 & echo ready; wait", "ready\n"},
		{"", ""},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		sidecar := exec.Command("/proc/self/exe")
		sidecar.Env = []string{"PROC_TEST_ROLE=guarded", "PROC_TEST_DIR=" + t.TempDir(), "PROC_TEST_SCRIPT=" + row.script}
		sidecar.Stdout, sidecar.Stderr = w, os.Stderr
		if err := sidecar.Start(); err != nil {
			t.Fatal(err)
		}
		w.Close()
		out := bufio.NewReader(r)
		guard := readPIDs(t, out, 1)
		if line, _ := out.ReadString('\n'); row.said != "" && line != row.said { // else it says who it is
			t.Errorf("%q", line)
		}
		sidecar.Process.Kill()
		sidecar.Wait()
		guard.allEnd(t)
		if rest, err := io.ReadAll(out); len(rest) > 0 || err != nil { // nobody else held the pipe
			t.Errorf("%q %v", rest, err)
		}
	}
}

// boxed starts such a command. Where there are no namespaces nothing is tested.
func boxed(t *testing.T, g *Guards, script string) started {
	t.Helper()
	c, err := inNamespaces(t.TempDir(), g, script)
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	c.Stdout, c.Stderr = w, w
	p, err := Start(t.Context(), c)
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	return started{p, bufio.NewReader(r)}
}

func needsNamespaces(t *testing.T) {
	t.Helper()
	s := boxed(t, nil, "true")
	_, err := s.Wait()
	s.Close()
	if err != nil {
		t.Skipf("not run: no namespaces here: %v", err)
	}
}

func TestAGuardIsUsedAgain(t *testing.T) {
	needsNamespaces(t)
	var g Guards
	var pid int
	for n, row := range []struct{ script, out string }{
		{"echo one; exit 3", "one\n"},
		{"ls /proc/self/fd | wc -l; exit 3", "4\n"}, // three and that of ls
		{"sleep 1000 & echo left; exit 3", "left\n"},
		{"echo again; exit 3", "again\n"},
	} {
		s := boxed(t, &g, row.script)
		if n == 0 {
			pid = s.guard.process.Pid
		}
		if s.guard.process.Pid != pid {
			t.Errorf("%s: another guard", row.script)
		}
		line, _ := s.out.ReadString('\n')
		exit, err := s.Wait()
		if exit.Code != 3 || err != nil || line != row.out {
			t.Errorf("%s: %q, %+v, %v", row.script, line, exit, err)
		}
		outlived, err := s.Close()
		if want := strings.Count(row.script, "&"); outlived != want || err != nil {
			t.Errorf("%s: %d outlived, %v", row.script, outlived, err)
		}
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err != unix.ECHILD {
		t.Errorf("a child is left: %d %v", pid, err)
	}
}

// A guard that a command could reach is not used again: what it did to it would be done to
// the next one.
func TestBypassGuardThatACommandReached(t *testing.T) {
	var g Guards
	p, err := Start(t.Context(), Command{Args: []string{"/bin/sh", "-c", "exit 0"}, Dir: "/", Guards: &g})
	if err != nil {
		t.Fatal(err)
	}
	p.Wait()
	p.Close()
	if g.idle != nil {
		t.Error("the guard of a command without a sandbox is kept")
	}
	g.Close()
}

// Two at once have a guard each, and one of them is kept.
func TestGuardsAtOnce(t *testing.T) {
	needsNamespaces(t)
	var g Guards
	one, two := boxed(t, &g, "read x"), boxed(t, &g, "echo two")
	if one.guard == two.guard {
		t.Fatal("one guard for two commands")
	}
	if exit, out, _ := two.finish(t); exit != (Exit{}) || out != "two\n" {
		t.Errorf("%+v %q", exit, out)
	}
	one.finish(t)
	three := boxed(t, &g, "echo three")
	if three.guard != two.guard {
		t.Error("the kept guard is not used")
	}
	three.finish(t)
	if g.Close() != nil || g.keep(three.guard) {
		t.Error("a guard is kept behind the end")
	}
}

// A guard that was killed while it waited does not take the next command with it.
func TestKilledIdleGuard(t *testing.T) {
	needsNamespaces(t)
	var g Guards
	boxed(t, &g, "true").finish(t)
	g.idle.process.Kill()
	w := watched{}
	w.add(t, g.idle.process.Pid)
	w.allEnd(t)
	if exit, out, _ := boxed(t, &g, "echo here").finish(t); exit != (Exit{}) || out != "here\n" {
		t.Errorf("%+v %q", exit, out)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}
