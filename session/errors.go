package session

import (
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
)

// These errors reach the wire as protocol errors; rpc/errors.go gives each its
// code and kind.

// NotFoundError says that there is no such session.
type NotFoundError struct{ SessionID string }

func (e *NotFoundError) Error() string { return fmt.Sprintf("there is no session %q", e.SessionID) }

// LockedError says that another process works on the session.
type LockedError struct {
	SessionID string
	PID       int
	Machine   string // "": this one
}

func (e *LockedError) Error() string {
	if e.Machine != "" {
		return fmt.Sprintf("session %s is open on %s", e.SessionID, e.Machine)
	}
	return fmt.Sprintf("session %s is open in another process (pid %d)", e.SessionID, e.PID)
}

// BusyError says that a run is under way where an idle session was wanted.
type BusyError struct{ SessionID, RunID string }

func (e *BusyError) Error() string { return "the session is running " + e.RunID }

// NotActiveError says that there is no run to steer.
type NotActiveError struct{ SessionID string }

func (e *NotActiveError) Error() string { return "no run is active in the session" }

// MismatchError says that another run is active than the client thought.
type MismatchError struct{ SessionID, Expected, Actual string }

func (e *MismatchError) Error() string {
	return fmt.Sprintf("expected run %s, the active run is %q", e.Expected, e.Actual)
}

// InvalidError says which argument is wrong and why.
type InvalidError struct{ Field, Reason string }

func (e *InvalidError) Error() string { return e.Field + ": " + e.Reason }

// ConfigError says which part of the configuration keeps something from working,
// and why.
type ConfigError struct{ Path, Reason string }

func (e *ConfigError) Error() string { return e.Path + ": " + e.Reason }

// ConfirmError says that a switch needs to be confirmed.
type ConfirmError struct{ Field, Reason string }

func (e *ConfirmError) Error() string { return e.Reason }

// RunnerError says that the configuration does not have a runner. Names are those that it
// has.
type RunnerError struct {
	Runner string // "": none was named
	Names  []string
}

func (e *RunnerError) Error() string {
	if len(e.Names) == 0 {
		return "no runner is configured"
	}
	if e.Runner == "" {
		return "which runner is meant must be said; configured are " + strings.Join(e.Names, ", ")
	}
	return fmt.Sprintf("there is no runner %q; configured are %s", control.Title(e.Runner, 60), strings.Join(e.Names, ", "))
}

// UnfitError says which argument is more than can be taken.
type UnfitError struct{ Field, Reason string }

func (e *UnfitError) Error() string { return e.Field + ": " + e.Reason }
