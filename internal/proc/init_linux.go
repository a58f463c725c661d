package proc

import (
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// first is the first process of a pid namespace, of ours or of bubblewrap's. It
// starts the command, adopts its orphans, says how it ended, and ends when
// nothing is left: with it ends everything in the namespace. It returns only
// with an error that kept the command from starting.
func first(c Confinement, command []string, landlock Restrict) error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("conceal: %w", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("working directory: %w", err)
	}
	if c.Bubblewrap != "" {
		if err := takeOver(); err != nil {
			return fmt.Errorf("bubblewrap: %w", err)
		}
	} else {
		if err := c.mounts(); err != nil {
			return fmt.Errorf("namespaces: %w", err)
		}
		if !c.Network {
			if err := loopback(); err != nil {
				return err
			}
		}
	}
	// The directory of before is the one under the mounts.
	if err := os.Chdir(dir); err != nil {
		return fmt.Errorf("working directory: %w", err)
	}
	if c.Network && landlock != nil {
		if err := landlock(c); err != nil {
			return fmt.Errorf("landlock: %w", err)
		}
	}
	if err := giveUp(c); err != nil {
		return err
	}
	closeInherited()
	meter, err := c.Most.begin(append(slices.Clone(c.Write), "/tmp"))
	if err != nil {
		return err
	}
	pid, err := syscall.ForkExec(command[0], command, &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return fmt.Errorf("start %s: %w", command[0], err)
	}
	// Nobody but the command may hold its output open.
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	for fd := 0; fd <= 2 && err == nil; fd++ {
		err = unix.Dup3(null, fd, 0)
	}
	if err != nil {
		unix.Kill(pid, unix.SIGKILL)
		return fmt.Errorf("let go of the output: %w", err)
	}
	said := os.NewFile(failFD, "fail")
	go listenInside(pid)
	go meter.watch(said)
	reapInside(pid, said)
	syscall.Exit(0) // the filter and the locked thread end here
	return nil
}

// listenInside passes the order to end on. The end of the pipe means that the
// guard is dead, so everything ends.
func listenInside(pid int) {
	orders := os.NewFile(termFD, "orders")
	for one := make([]byte, 1); ; {
		if _, err := io.ReadFull(orders, one); err != nil {
			syscall.Exit(1) // the kernel ends what is in the namespace
		}
		unix.Kill(-pid, unix.SIGTERM)
	}
}

// reapInside returns when no process is left.
func reapInside(command int, said *os.File) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return
		case pid == command:
			fmt.Fprintf(said, "%s%d\n", endedWord, uint32(status))
			said.Close()
		}
	}
}
