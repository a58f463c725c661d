package proc

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Conceal keeps other processes of the same user, and so every command that this
// one starts, from reading its environment and memory in /proc or by ptrace:
// there lie the keys that commands do not get. A command that runs with root's
// capabilities can read everything all the same. What this process starts is not
// concealed.
func Conceal() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("conceal the process: %w", err)
	}
	return nil
}
