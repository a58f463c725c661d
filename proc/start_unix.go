//go:build unix

package proc

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// The descriptors of a guard, in the order startGuard hands them over. Its own
// standard ones are the null device, so that it never holds the command's
// output open.
const (
	lifeFD = 3 + iota
	statusFD
	inFD
	outFD
	errFD
)

// startGuard starts the guard in a session of its own: a Ctrl-C at a terminal
// reaches the sidecar, which then says what ends.
func startGuard(c Command, argv []string) (*Process, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	life, lifeEnd, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer life.Close()
	status, statusEnd, err := os.Pipe()
	if err != nil {
		lifeEnd.Close()
		return nil, err
	}
	defer statusEnd.Close()
	self, err := executable()
	if err == nil {
		var guard *os.Process
		guard, err = os.StartProcess(self, argv, &os.ProcAttr{
			Dir: "/",
			Env: c.Env,
			Files: []*os.File{null, null, null, life, statusEnd,
				or(c.Stdin, null), or(c.Stdout, null), or(c.Stderr, null)},
			Sys: &syscall.SysProcAttr{Setsid: true},
		})
		if err == nil {
			return &Process{guard: guard, life: lifeEnd, status: status}, nil
		}
	}
	return nil, errors.Join(err, lifeEnd.Close(), status.Close())
}

func or(f, fallback *os.File) *os.File {
	if f == nil {
		return fallback
	}
	return f
}

// executable is this very binary. On Linux the link in /proc leads to it also
// after an update has replaced or removed the file.
func executable() (string, error) {
	if runtime.GOOS == "linux" {
		if _, err := os.Stat("/proc/self/exe"); err == nil {
			return "/proc/self/exe", nil
		}
	}
	return os.Executable()
}

// wake lets a guard go on that the command has stopped.
func (p *Process) wake() { p.guard.Signal(syscall.SIGCONT) }
