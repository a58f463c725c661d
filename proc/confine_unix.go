//go:build unix

package proc

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// failFD is where the confined process says why it could not become the
// command; it closes by itself when it does.
const failFD = 3

// confineMain restricts this process as its order says and becomes the command
// (workspace §4). Only level "none" exists so far; any other starts nothing, so
// that a sandbox that was asked for is never silently absent.
func confineMain(args []string) int {
	unix.CloseOnExec(failFD)
	err := confine(args)
	fail := os.NewFile(failFD, "fail")
	fmt.Fprint(fail, err)
	return 126
}

// confine returns only with an error.
func confine(args []string) error {
	var c struct {
		Level string `json:"level"`
	}
	if len(args) < 3 || args[1] != "--" || !filepath.IsAbs(args[2]) {
		return fmt.Errorf("%s: bad arguments", confineArg)
	}
	if err := json.Unmarshal([]byte(args[0]), &c); err != nil {
		return fmt.Errorf("%s: %w", confineArg, err)
	}
	if c.Level != "" && c.Level != "none" {
		return fmt.Errorf("sandbox level %q is not available", c.Level)
	}
	closeInherited()
	err := syscall.Exec(args[2], args[2:], os.Environ())
	return fmt.Errorf("start %s: %w", args[2], err)
}
