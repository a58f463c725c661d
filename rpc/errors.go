package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// The codes of protocol §7.
const (
	codeParseError     = -32700
	codeInvalidRequest = -32600
	codeMethodNotFound = -32601
	codeInvalidParams  = -32602
	codeInternalError  = -32603
	codeNotInitialized = -32002
	codeCancelled      = -32800
	codeFailed         = -32803
)

// kind is error.data.kind, the word a client decides by (protocol §7, rulings
// 9, 24, 115).
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
	kindInvalidParams        kind = "invalid_params"
	kindConfirmationRequired kind = "confirmation_required"
	kindRunnerNotConfigured  kind = "runner_not_configured"
	kindOverloaded           kind = "overloaded"
	kindShuttingDown         kind = "shutting_down"
	kindInternal             kind = "internal"
)

// kinds is the one table of what each kind is on the wire. The members that
// data must carry beside kind and retryable are the columns' names.
var kinds = map[kind]struct {
	code      int64
	retryable bool     // the same request may succeed later without a change
	data      []string // members of data that come with it
}{
	kindSessionNotFound:      {codeFailed, false, nil},
	kindSessionLocked:        {codeFailed, true, []string{"pid"}},
	kindSessionBusy:          {codeFailed, true, []string{"runId"}},
	kindRunNotActive:         {codeFailed, false, nil},
	kindRunMismatch:          {codeFailed, false, []string{"expected", "actual"}},
	kindArtifactNotFound:     {codeFailed, false, nil},
	kindArtifactExpired:      {codeFailed, false, nil},
	kindApprovalNotFound:     {codeFailed, false, nil},
	kindUnsupportedContent:   {codeFailed, false, nil},
	kindPayloadTooLarge:      {codeFailed, false, []string{"limit"}},
	kindInvalidConfig:        {codeFailed, false, []string{"path"}},
	kindInvalidParams:        {codeInvalidParams, false, nil},
	kindConfirmationRequired: {codeFailed, false, []string{"field"}},
	kindRunnerNotConfigured:  {codeFailed, false, nil},
	kindOverloaded:           {codeFailed, true, []string{"retryAfterMs"}},
	kindShuttingDown:         {codeInvalidRequest, false, nil},
	kindInternal:             {codeInternalError, false, nil},
}

// maxMessageBytes is the longest error text sent; longer ones are cut.
const maxMessageBytes = 2 << 10

// wireError is a JSON-RPC error. Only this file makes them (architecture §3.5).
type wireError struct {
	code      int64
	kind      kind // "" for errors of the envelope, which carry no data
	retryable bool
	message   string
	data      map[string]any // members of error.data beside kind and retryable
}

func (e *wireError) Error() string { return e.message }

// with adds a member to data: the columns of the kind, sessionId, runId or
// detail.
func (e *wireError) with(name string, value any) *wireError {
	if name == "sessionId" && value == "" {
		return e // not known here
	}
	if e.data == nil {
		e.data = map[string]any{}
	}
	e.data[name] = value
	return e
}

// encode is the member error of a response.
func (e *wireError) encode() json.RawMessage {
	type wire struct {
		Code    int64          `json:"code"`
		Message string         `json:"message"`
		Data    map[string]any `json:"data,omitempty"`
	}
	w := wire{Code: e.code, Message: cutText(e.message, maxMessageBytes)}
	if e.kind != "" {
		w.Data = map[string]any{"kind": e.kind, "retryable": e.retryable}
		for name, value := range e.data {
			w.Data[name] = value
		}
	}
	raw, err := encodeJSON(w)
	if err != nil { // a data value that cannot be encoded is a defect of ours
		raw = json.RawMessage(`{"code":-32603,"message":"the error could not be encoded"}`)
	}
	return raw
}

// problem is an error of the envelope: damaged input, the lifecycle, an unknown
// method.
func problem(code int64, message string) *wireError {
	return &wireError{code: code, message: message}
}

// failed is an error of a listed kind.
func failed(k kind, format string, args ...any) *wireError {
	row := kinds[k]
	return &wireError{code: row.code, kind: k, retryable: row.retryable, message: fmt.Sprintf(format, args...)}
}

func sessionNotFound(id string) *wireError {
	return failed(kindSessionNotFound, "session %q not found", id).with("sessionId", id)
}

func sessionLocked(id string, pid int) *wireError {
	return failed(kindSessionLocked, "session %q is open in another process", id).with("sessionId", id).with("pid", pid)
}

func sessionBusy(id, run string) *wireError {
	return failed(kindSessionBusy, "the session is running %s", run).with("sessionId", id).with("runId", run)
}

func runNotActive(session string) *wireError {
	return failed(kindRunNotActive, "no run is active").with("sessionId", session)
}

func runMismatch(expected, actual string) *wireError {
	return failed(kindRunMismatch, "run %q is not the active one", expected).with("expected", expected).with("actual", actual)
}

func artifactNotFound(name string) *wireError {
	return failed(kindArtifactNotFound, "artifact %q not found", name)
}

func artifactExpired(name string) *wireError {
	return failed(kindArtifactExpired, "artifact %q has expired", name)
}

func approvalNotFound(id string) *wireError {
	return failed(kindApprovalNotFound, "approval %q not found", id)
}

func unsupportedContent(what string) *wireError {
	return failed(kindUnsupportedContent, "unsupported content: %s", what)
}

func payloadTooLarge(what string, limit int64) *wireError {
	return failed(kindPayloadTooLarge, "%s is over %d bytes", what, limit).with("limit", limit)
}

func invalidConfig(path, why string) *wireError {
	return failed(kindInvalidConfig, "%s: %s", path, why).with("path", path)
}

func confirmationRequired(field, why string) *wireError {
	return failed(kindConfirmationRequired, "%s", why).with("field", field)
}

func runnerNotConfigured() *wireError {
	return failed(kindRunnerNotConfigured, "no cloud runner is configured")
}

func overloaded(retryAfterMs int64) *wireError {
	return failed(kindOverloaded, "too many requests at once").with("retryAfterMs", retryAfterMs)
}

func shuttingDown() *wireError {
	return failed(kindShuttingDown, "the server is shutting down")
}

func methodNotFound(method string) *wireError {
	return problem(codeMethodNotFound, "method not found: "+cutText(method, 200))
}

// invalidParams names the member that is wrong; field "" is params itself.
func invalidParams(field, why string) *wireError {
	if field == "" {
		return failed(kindInvalidParams, "params: %s", why)
	}
	return failed(kindInvalidParams, "params.%s: %s", field, why).with("field", field)
}

// missing is invalidParams for a member that must be there.
func missing(field string) *wireError { return invalidParams(field, "is missing") }

// Why a request's context ended.
var (
	errCancelledByClient = errors.New("cancelled by the client")
	errClientGone        = errors.New("the client is gone")
)

// toWire maps what a handler returned. A *wireError anywhere in err's chain is
// sent as it is; domain, which knows the errors of other packages, is asked
// next and may return nil; the rest is internal. cancelled says that the client
// cancelled the request: then no error but -32800 is sent.
func toWire(err error, cancelled bool, domain func(error) *wireError) *wireError {
	if cancelled {
		return problem(codeCancelled, "request cancelled")
	}
	if known, ok := errors.AsType[*wireError](err); ok {
		return known
	}
	if domain != nil {
		if known := domain(err); known != nil {
			return known
		}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, errClientGone) {
		return problem(codeCancelled, "request cancelled")
	}
	return failed(kindInternal, "%s", err.Error())
}

// clientError is what the client answered to one of our requests.
type clientError struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *clientError) Error() string {
	return fmt.Sprintf("client answered %d: %s", e.Code, cutText(e.Message, maxMessageBytes))
}

// isMethodNotFound says whether the client does not know the method it was
// asked for (protocol §4, surface c).
func isMethodNotFound(err error) bool {
	answer, ok := errors.AsType[*clientError](err)
	return ok && answer.Code == codeMethodNotFound
}

// cutText shortens s to at most n bytes between two characters.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
