package rpc

import (
	"errors"
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/prompts"
)

// kind is error.data.kind, the word a client decides by.
type kind string

const (
	kindSessionNotFound      kind = "session_not_found"
	kindSessionLocked        kind = "session_locked"
	kindSessionBusy          kind = "session_busy"
	kindRunNotActive         kind = "run_not_active"
	kindRunMismatch          kind = "run_mismatch"
	kindArtifactNotFound     kind = "artifact_not_found"
	kindArtifactExpired      kind = "artifact_expired"
	kindApprovalNotFound     kind = "approval_not_found"
	kindUnsupportedContent   kind = "unsupported_content"
	kindPayloadTooLarge      kind = "payload_too_large"
	kindInvalidConfig        kind = "invalid_config"
	kindInvalidParams        kind = wire.KindInvalidParams
	kindConfirmationRequired kind = "confirmation_required"
	kindRunnerNotConfigured  kind = "runner_not_configured"
	kindUnknownCommand       kind = "unknown_command"
	kindClientCommand        kind = "client_command"
	kindMCPFailed            kind = "mcp_failed"
	kindPageFailed           kind = "page_failed"
	kindOverloaded           kind = wire.KindOverloaded
	kindShuttingDown         kind = wire.KindShuttingDown
	kindInternal             kind = wire.KindInternal
)

// kinds is the one table of what each kind is on the wire. The members that
// data must carry beside kind and retryable are the columns' names. Four of them
// the wire makes itself; a test holds those against their rows.
var kinds = map[kind]struct {
	code      int64
	retryable bool     // the same request may succeed later without a change
	data      []string // members of data that come with it
}{
	kindSessionNotFound:      {wire.CodeFailed, false, nil},
	kindSessionLocked:        {wire.CodeFailed, true, []string{"pid"}},
	kindSessionBusy:          {wire.CodeFailed, true, []string{"runId"}},
	kindRunNotActive:         {wire.CodeFailed, false, nil},
	kindRunMismatch:          {wire.CodeFailed, false, []string{"expected", "actual"}},
	kindArtifactNotFound:     {wire.CodeFailed, false, nil},
	kindArtifactExpired:      {wire.CodeFailed, false, nil},
	kindApprovalNotFound:     {wire.CodeFailed, false, nil},
	kindUnsupportedContent:   {wire.CodeFailed, false, nil},
	kindPayloadTooLarge:      {wire.CodeFailed, false, []string{"limit"}},
	kindInvalidConfig:        {wire.CodeFailed, false, []string{"path"}},
	kindInvalidParams:        {wire.CodeInvalidParams, false, nil},
	kindConfirmationRequired: {wire.CodeFailed, false, []string{"field"}},
	kindRunnerNotConfigured:  {wire.CodeFailed, false, nil},
	kindUnknownCommand:       {wire.CodeFailed, false, []string{"near"}},
	kindClientCommand:        {wire.CodeFailed, false, []string{"request"}},
	kindMCPFailed:            {wire.CodeFailed, true, nil},
	kindPageFailed:           {wire.CodeFailed, true, nil},
	kindOverloaded:           {wire.CodeFailed, true, []string{"retryAfterMs"}},
	kindShuttingDown:         {wire.CodeInvalidRequest, false, nil},
	kindInternal:             {wire.CodeInternalError, false, nil},
}

// failed is an error of a listed kind.
func failed(k kind, format string, args ...any) *wire.Error {
	row := kinds[k]
	return &wire.Error{Code: row.code, Kind: string(k), Retryable: row.retryable, Message: fmt.Sprintf(format, args...)}
}

func runNotActive(session string) *wire.Error {
	return failed(kindRunNotActive, "no run is active").With("sessionId", session)
}

func runMismatch(expected, actual string) *wire.Error {
	return failed(kindRunMismatch, "run %q is not the active one", expected).With("expected", expected).With("actual", actual)
}

func artifactNotFound(name string) *wire.Error {
	return failed(kindArtifactNotFound, "artifact %q not found", name)
}

func artifactExpired(name string) *wire.Error {
	return failed(kindArtifactExpired, "artifact %q has expired", name)
}

func approvalNotFound(id string) *wire.Error {
	return failed(kindApprovalNotFound, "approval %q not found", id)
}

func invalidConfig(path, why string) *wire.Error {
	return failed(kindInvalidConfig, "%s: %s", path, why).With("path", path)
}

func confirmationRequired(field, why string) *wire.Error {
	return failed(kindConfirmationRequired, "%s", why).With("field", field)
}

// domainError gives the errors of sessions and bundles their kind; nil for those that
// are nobody's fault but ours.
func domainError(err error) *wire.Error {
	for _, as := range domain {
		if e := as(err); e != nil {
			return e
		}
	}
	return nil
}

// domain is which error of a session is which of ours.
var domain = []func(error) *wire.Error{
	from(func(e *session.NotFoundError) *wire.Error {
		return failed(kindSessionNotFound, "session %q not found", e.SessionID).With("sessionId", e.SessionID)
	}),
	from(func(e *session.LockedError) *wire.Error {
		if e.Machine != "" {
			return failed(kindSessionLocked, "session %q is open on %s", e.SessionID, e.Machine).With("sessionId", e.SessionID).With("machine", e.Machine)
		}
		return failed(kindSessionLocked, "session %q is open in another process", e.SessionID).With("sessionId", e.SessionID).With("pid", e.PID)
	}),
	from(func(e *session.BusyError) *wire.Error {
		return failed(kindSessionBusy, "the session is running %s", e.RunID).With("sessionId", e.SessionID).With("runId", e.RunID)
	}),
	from(func(e *session.NotActiveError) *wire.Error { return runNotActive(e.SessionID) }),
	from(func(e *session.MismatchError) *wire.Error {
		return runMismatch(e.Expected, e.Actual).With("sessionId", e.SessionID)
	}),
	from(func(e *session.InvalidError) *wire.Error { return wire.InvalidParams(e.Field, e.Reason) }),
	from(func(e *session.ConfigError) *wire.Error { return invalidConfig(e.Path, e.Reason) }),
	from(func(e *session.ConfirmError) *wire.Error { return confirmationRequired(e.Field, e.Reason) }),
	from(func(e *session.RunnerError) *wire.Error {
		return failed(kindRunnerNotConfigured, "%s", e.Error())
	}),
	from(func(e *prompts.UnknownError) *wire.Error {
		return failed(kindUnknownCommand, "%s", e.Error()).With("near", nonNil(e.Near))
	}),
	from(func(e *prompts.ClientError) *wire.Error {
		return failed(kindClientCommand, "%s", e.Error()).With("request", e.Request)
	}),
	from(func(e *prompts.ServerError) *wire.Error {
		return failed(kindMCPFailed, "%s", e.Error())
	}),
	from(func(e *prompts.PageError) *wire.Error {
		return failed(kindPageFailed, "%s", e.Error())
	}),
	from(func(e *TooLargeError) *wire.Error {
		return failed(kindPayloadTooLarge, "the bundle is over %d bytes", e.Limit).With("limit", e.Limit)
	}),
	from(func(e *session.UnfitError) *wire.Error {
		return failed(kindPayloadTooLarge, "%s: %s", e.Field, e.Reason)
	}),
}

// from makes a row of domain.
func from[E error](is func(E) *wire.Error) func(error) *wire.Error {
	return func(err error) *wire.Error {
		if e, ok := errors.AsType[E](err); ok {
			return is(e)
		}
		return nil
	}
}
