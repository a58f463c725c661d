//go:build unix

package proc

import (
	"errors"
	"os"
	"syscall"
)

// socketFD is where a guard gets its orders. Its standard descriptors are the null device,
// so that it never holds the output of a command open.
const socketFD = 3

// begin gives an order to a guard that waits for one, or to a new one.
func begin(c Command, o order) (*Process, error) {
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
	files := [handed]*os.File{life, statusEnd, or(c.Stdin, null), or(c.Stdout, null), or(c.Stderr, null)}
	g := c.Guards.take()
	if g != nil && g.send(o, files) != nil { // somebody has killed it
		g.end()
		g = nil
	}
	if g == nil {
		if g, err = startGuard(null); err == nil {
			err = g.send(o, files)
		}
	}
	if err == nil {
		return &Process{guard: g, guards: c.Guards, life: lifeEnd, status: status}, nil
	}
	if g != nil {
		g.end()
	}
	return nil, errors.Join(err, lifeEnd.Close(), status.Close())
}

// startGuard starts a guard in a session of its own: a Ctrl-C at a terminal
// reaches the sidecar, which then says what ends.
func startGuard(null *os.File) (*guard, error) {
	self, err := Executable()
	if err != nil {
		return nil, err
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	process, err := os.StartProcess(self, []string{"agent-sidecar", guardArg}, &os.ProcAttr{
		Dir: "/", Env: []string{},
		Files: []*os.File{null, null, null, theirs},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		ours.Close()
		return nil, err
	}
	return &guard{process: process, socket: ours}, nil
}

func or(f, fallback *os.File) *os.File {
	if f == nil {
		return fallback
	}
	return f
}

// wake lets a guard go on that the command has stopped.
func (p *Process) wake() { p.guard.process.Signal(syscall.SIGCONT) }
