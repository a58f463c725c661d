//go:build !linux

package sandbox

import (
	"errors"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
)

func LandlockABI() int { return 0 }

// Landlock exists only on Linux.
func Landlock(proc.Confinement) error { return errors.New("only Linux has it") }
