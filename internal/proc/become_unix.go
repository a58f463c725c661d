//go:build unix

package proc

import (
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// failFD is where the confined process says why it could not become the
// command; it closes by itself when it does. In a namespace it also carries how
// the command ended.
const failFD = 3

// termFD is where the first process of namespaces hears that its command is to
// end: a signal to its group from outside would reach nobody but itself.
const termFD = 4

// What is before how the command ended, on failFD, and before the bound that it reached.
const (
	endedWord = "ended "
	limitWord = "limit "
)

// become replaces this process.
func become(command []string) error {
	err := syscall.Exec(command[0], command, os.Environ())
	return fmt.Errorf("start %s: %w", command[0], err)
}

// closeListed is closeInherited by the names in a directory of descriptors.
func closeListed(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}
