//go:build unix

package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
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
