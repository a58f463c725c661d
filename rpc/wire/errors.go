package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// The codes of errors.
const (
	CodeParseError     = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternalError  = -32603
	CodeNotInitialized = -32002
	CodeCancelled      = -32800
	CodeFailed         = -32803
)

// The kinds that the wire answers with by itself. It knows no others: those are
// its user's.
const (
	KindInvalidParams = "invalid_params"
	KindOverloaded    = "overloaded"
	KindShuttingDown  = "shutting_down"
	KindInternal      = "internal"
)

// maxMessageBytes is the longest error text sent; longer ones are cut.
const maxMessageBytes = 2 << 10

// Error is a JSON-RPC error. Handlers return it, however wrapped, to choose the
// answer. Here are those that the wire makes itself; its user keeps the others in
// one file too.
type Error struct {
	Code      int64
	Kind      string // the word in data.kind; "" for errors of the envelope, which carry no data
	Retryable bool   // the same request may succeed later without a change
	Message   string
	Data      map[string]any // members of error.data beside kind and retryable
	missing   bool           // made by Missing
}

func (e *Error) Error() string { return e.Message }

// With adds a member to data: the columns of the kind, sessionId, runId or
// detail.
func (e *Error) With(name string, value any) *Error {
	if name == "sessionId" && value == "" {
		return e // not known here
	}
	if e.Data == nil {
		e.Data = map[string]any{}
	}
	e.Data[name] = value
	return e
}

// Encode is the member error of a response.
func (e *Error) Encode() json.RawMessage {
	type form struct {
		Code    int64          `json:"code"`
		Message string         `json:"message"`
		Data    map[string]any `json:"data,omitempty"`
	}
	w := form{Code: e.Code, Message: CutText(e.Message, maxMessageBytes)}
	if e.Kind != "" {
		w.Data = map[string]any{"kind": e.Kind, "retryable": e.Retryable}
		for name, value := range e.Data {
			w.Data[name] = value
		}
	}
	raw, err := EncodeJSON(w)
	if err != nil { // a data value that cannot be encoded is a defect of ours
		raw = json.RawMessage(`{"code":-32603,"message":"the error could not be encoded"}`)
	}
	return raw
}

// problem is an error of the envelope: damaged input, the lifecycle, an unknown
// method.
func problem(code int64, message string) *Error {
	return &Error{Code: code, Message: message}
}

// own is an error of one of the wire's own kinds.
func own(code int64, kind string, retryable bool, format string, args ...any) *Error {
	return &Error{Code: code, Kind: kind, Retryable: retryable, Message: fmt.Sprintf(format, args...)}
}

// Internal is a defect of ours: what no other error fits.
func Internal(format string, args ...any) *Error {
	return own(CodeInternalError, KindInternal, false, format, args...)
}

// Overloaded refuses what would be one too many; the time is in milliseconds.
func Overloaded(retryAfterMs int64) *Error {
	return own(CodeFailed, KindOverloaded, true, "too many requests at once").With("retryAfterMs", retryAfterMs)
}

// ShuttingDown refuses what comes after shutdown.
func ShuttingDown() *Error {
	return own(CodeInvalidRequest, KindShuttingDown, false, "the server is shutting down")
}

// methodNotFound is for what is in no row of the table.
func methodNotFound(method string) *Error {
	return problem(CodeMethodNotFound, "method not found: "+CutText(method, 200))
}

// InvalidParams names the member that is wrong; field "" is params itself.
func InvalidParams(field, why string) *Error {
	if field == "" {
		return own(CodeInvalidParams, KindInvalidParams, false, "params: %s", why)
	}
	return own(CodeInvalidParams, KindInvalidParams, false, "params.%s: %s", field, why).With("field", field)
}

// Missing is InvalidParams for a member that must be there.
func Missing(field string) *Error {
	e := InvalidParams(field, "is missing")
	e.missing = true
	return e
}

// IsMissing says that the error is about a member that must be there and is not.
func (e *Error) IsMissing() bool { return e.missing }

// Why a request's context ended.
var errCancelledByClient = errors.New("cancelled by the client")

// ErrClientGone is why a request of ours has no answer once nobody is there to
// give one.
var ErrClientGone = errors.New("the client is gone")

// toWire maps what a handler returned. A *Error anywhere in err's chain is
// sent as it is; domain, which knows the errors of other packages, is asked
// next and may return nil; the rest is internal. cancelled says that the client
// cancelled the request: then no error but -32800 is sent.
func toWire(err error, cancelled bool, domain func(error) *Error) *Error {
	if cancelled {
		return problem(CodeCancelled, "request cancelled")
	}
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	if domain != nil {
		if known := domain(err); known != nil {
			return known
		}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, ErrClientGone) {
		return problem(CodeCancelled, "request cancelled")
	}
	return Internal("%s", err.Error())
}

// clientError is what the client answered to one of our requests.
type clientError struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *clientError) Error() string {
	return fmt.Sprintf("client answered %d: %s", e.Code, CutText(e.Message, maxMessageBytes))
}

// IsMethodNotFound says whether the client does not know the method it was
// asked for.
func IsMethodNotFound(err error) bool {
	answer, ok := errors.AsType[*clientError](err)
	return ok && answer.Code == CodeMethodNotFound
}

// CutText shortens s to at most n bytes between two characters, and says so with
// an ellipsis.
func CutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
