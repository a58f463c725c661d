package rpc

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
)

// domainError gives the errors of the session package their place in the table
// of errors.go; nil for those that are nobody's fault but ours.
func domainError(err error) *wire.Error {
	if e, ok := errors.AsType[*session.NotFoundError](err); ok {
		return sessionNotFound(e.SessionID)
	}
	if e, ok := errors.AsType[*session.LockedError](err); ok {
		return sessionLocked(e.SessionID, e.PID)
	}
	if e, ok := errors.AsType[*session.BusyError](err); ok {
		return sessionBusy(e.SessionID, e.RunID)
	}
	if e, ok := errors.AsType[*session.NotActiveError](err); ok {
		return runNotActive(e.SessionID)
	}
	if e, ok := errors.AsType[*session.MismatchError](err); ok {
		return runMismatch(e.Expected, e.Actual).With("sessionId", e.SessionID)
	}
	if e, ok := errors.AsType[*session.InvalidError](err); ok {
		return wire.InvalidParams(e.Field, e.Reason)
	}
	if e, ok := errors.AsType[*session.ConfigError](err); ok {
		return invalidConfig(e.Path, e.Reason)
	}
	if e, ok := errors.AsType[*session.ConfirmError](err); ok {
		return confirmationRequired(e.Field, e.Reason)
	}
	if _, ok := errors.AsType[*session.RunnerError](err); ok {
		return runnerNotConfigured()
	}
	if e, ok := errors.AsType[*session.UnfitError](err); ok {
		return failed(kindPayloadTooLarge, "%s: %s", e.Field, e.Reason)
	}
	return nil
}

// residentBytes is the process's resident memory; where the system does not
// say, what the runtime has taken from it.
func residentBytes(taken uint64) uint64 {
	raw, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return taken
	}
	fields := strings.Fields(string(raw))
	if len(fields) < 2 {
		return taken
	}
	pages, err := strconv.ParseUint(fields[1], 10, 64)
	if err != nil {
		return taken
	}
	return pages * uint64(os.Getpagesize())
}
