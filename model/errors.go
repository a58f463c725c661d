package model

import (
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Kind is what an error means for the caller; the words are the protocol's
// error.kind (protocol §7, ruling 12).
type Kind string

// The kinds of failure.
const (
	KindAuth          Kind = "model_auth"
	KindRateLimited   Kind = "model_rate_limited"
	KindQuota         Kind = "model_quota"
	KindOverloaded    Kind = "model_overloaded"
	KindOverflow      Kind = "context_window_exceeded"
	KindRejected      Kind = "model_rejected"
	KindNotFound      Kind = "model_not_found"
	KindContentFilter Kind = "content_filter"
	KindServer        Kind = "model_server_error"
	KindNetwork       Kind = "model_unreachable"
	KindUnavailable   Kind = "MODEL_UNAVAILABLE" // a chain is exhausted
)

// Error is why a model could not answer.
type Error struct {
	Kind       Kind
	Status     int    // HTTP status, 0 when there was none
	Message    string // the provider's words, at most 2 KiB, never a key
	Provider   string
	Model      string
	URL        string // without query and user info
	RetryAfter time.Duration
	Window     int64 // the real limit when an overflow text names it
	Attempts   []Attempt
}

// Attempt is one request that failed.
type Attempt struct {
	Model   string `json:"model"`
	Status  int    `json:"status,omitempty"`
	Kind    Kind   `json:"kind"`
	Message string `json:"message"`
}

// maxMessage bounds Error.Message, in bytes.
const maxMessage = 2 << 10

// Error says what was asked, where, and what came back. It never holds a key:
// messages are cleaned by scrubber before they get here.
func (e *Error) Error() string {
	if e.Kind == KindUnavailable {
		return e.Message // it names every model
	}
	var b strings.Builder
	b.WriteString("asking ")
	if e.Provider != "" {
		b.WriteString(e.Provider + "/")
	}
	b.WriteString(e.Model)
	if e.URL != "" {
		b.WriteString(" at " + e.URL)
	}
	if e.Status != 0 {
		fmt.Fprintf(&b, " (status %d)", e.Status)
	}
	b.WriteString(": ")
	if e.Message == "" {
		b.WriteString(string(e.Kind))
	} else {
		b.WriteString(e.Message)
	}
	return b.String()
}

// Is lets errors.Is compare by kind: errors.Is(err, &Error{Kind: KindAuth}).
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Kind == e.Kind && t.Status == 0 && t.Message == "" && t.Model == ""
}

// failure is one request that failed, with what the retry loop needs to decide.
type failure struct {
	err   *Error
	class class
	// body is what the provider said, for quirks and for Retry-After.
	body string
	// again says that the same question may succeed later.
	again bool
}

// shownURL is u without user info, query and fragment.
func shownURL(u *url.URL) string {
	if u == nil {
		return ""
	}
	clean := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return clean.String()
}
