package proc

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// confineAt puts this process under a level and becomes the command, or starts
// it as the first process of its namespaces. It returns only with an error.
func confineAt(c Confinement, command []string, landlock Restrict) error {
	// What is given up is given up by one thread, and a command is started by it.
	runtime.LockOSThread()
	switch {
	case c.Level == Namespaces && os.Getpid() != 1:
		return bubblewrap(c, command)
	case c.Level == Namespaces:
		return first(c, command, landlock)
	case c.Level == Landlock && landlock != nil:
		if err := landlock(c); err != nil {
			return fmt.Errorf("landlock: %w", err)
		}
		if err := giveUp(c); err != nil {
			return err
		}
		closeInherited()
		return become(command)
	}
	return fmt.Errorf("sandbox level %q is not available", c.Level)
}

// giveUp drops every capability of this thread and what it could become by
// starting another program, and installs the filter. It cannot be taken back.
func giveUp(c Confinement) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	// Without CAP_SETPCAP there is nothing in the bounding set that a program
	// without new privileges could get.
	for last := uintptr(0); last <= unix.CAP_LAST_CAP; last++ {
		unix.Prctl(unix.PR_CAPBSET_DROP, last, 0, 0, 0)
	}
	unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	// Who is user 0 would get every capability of the bounding set back; these
	// bits keep that from happening and are locked.
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have, none [2]unix.CapUserData
	if err := unix.Capget(&header, &have[0]); err == nil && have[0].Effective&(1<<unix.CAP_SETPCAP) != 0 {
		const noRoot = 1<<0 | 1<<1 | 1<<2 | 1<<3 // SECBIT_NOROOT, NO_SETUID_FIXUP and their locks
		if err := unix.Prctl(unix.PR_SET_SECUREBITS, noRoot, 0, 0, 0); err != nil {
			return fmt.Errorf("secure bits: %w", err)
		}
	}
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return filter(c)
}
