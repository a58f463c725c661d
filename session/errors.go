package session

import "fmt"

// These errors reach the wire as protocol errors; rpc/errors.go gives each its
// code and kind.

// NotFoundError says that there is no such session.
type NotFoundError struct{ SessionID string }

func (e *NotFoundError) Error() string { return fmt.Sprintf("there is no session %q", e.SessionID) }

// LockedError says that another process works on the session.
type LockedError struct {
	SessionID string
	PID       int
}

func (e *LockedError) Error() string {
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

// RunnerError says that sessions cannot run anywhere but here.
type RunnerError struct{ Mode string }

func (e *RunnerError) Error() string {
	return fmt.Sprintf("no runner is configured for runtime mode %q", e.Mode)
}

// UnfitError says which argument is more than can be taken.
type UnfitError struct{ Field, Reason string }

func (e *UnfitError) Error() string { return e.Field + ": " + e.Reason }
