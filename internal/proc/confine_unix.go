//go:build unix

package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// confineMain restricts this process as its order says and becomes the command.
// A level that is not there starts nothing, so that a sandbox that was asked
// for is never silently absent.
func confineMain(args []string, landlock Restrict) int {
	unix.CloseOnExec(failFD)
	err := confine(args, landlock)
	fail := os.NewFile(failFD, "fail")
	fmt.Fprint(fail, err)
	return 126
}

// confine returns only with an error.
func confine(args []string, landlock Restrict) error {
	end := slices.Index(args, "--")
	if end < 0 || end+1 >= len(args) || !filepath.IsAbs(args[end+1]) {
		return errOrder
	}
	c, err := confinementOf(args[:end])
	if err != nil {
		return err
	}
	command := args[end+1:]
	if c.Level != "" && c.Level != None {
		return confineAt(c, command, landlock)
	}
	closeInherited()
	return become(command)
}

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
