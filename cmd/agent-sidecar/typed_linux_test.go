package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// typed starts the program at a terminal, types input and then the end of it (Ctrl-D), and
// waits for its end. What it prints is no terminal's.
func (s *shell) typed(t *testing.T, input string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	keyboard, tty := newTerminal(t)
	if _, err := keyboard.WriteString(input + "\x04"); err != nil {
		t.Fatal(err)
	}
	cmd := s.command(t, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, &out, &errs
	_ = cmd.Run() // the code says it
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// TestPipedTextAndPerson: with a text piped in, a person is asked at the terminal that shows
// the output.
func TestPipedTextAndPerson(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"n", "y"} {
		s := scriptedShell(t, "", "call c1 bash {\"command\": \"echo x > made.txt\"}\n---\nsay Done.")
		keyboard, tty := newTerminal(t)
		if _, err := keyboard.WriteString("n\n" + answer + "\n\x04"); err != nil {
			t.Fatal(err)
		}
		cmd := s.command(t, "run", "review this")
		cmd.Stdin, cmd.Stdout = strings.NewReader("y\ny\ny\n"), tty
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
		read := make(chan struct{})
		go func() { _, _ = io.Copy(io.Discard, keyboard); close(read) }()
		_ = cmd.Run() // the code says it
		_, err := os.Stat(filepath.Join(s.dir, "made.txt"))
		if code := cmd.ProcessState.ExitCode(); code != 0 || (err == nil) != (answer == "y") {
			t.Errorf("%s: exit %d, made.txt: %v", answer, code, err)
		}
		tty.Close()
		<-read
	}
}

// newTerminal is a terminal and the end of it where a person types.
func newTerminal(t *testing.T) (keyboard, tty *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("not run: there are no terminals here: %v", err)
	}
	t.Cleanup(func() { keyboard.Close() })
	var n, unlock int32
	for request, value := range map[uintptr]*int32{syscall.TIOCGPTN: &n, syscall.TIOCSPTLCK: &unlock} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, keyboard.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Fatal(errno)
		}
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("not run: there are no terminals here: %v", err)
	}
	t.Cleanup(func() { tty.Close() })
	return keyboard, tty
}
