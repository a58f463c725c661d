package model

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// Kind is what an error means for the caller; the words are the protocol's
// error.kind.
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
	KindNotSet        Kind = "model_not_set"     // none is set up, or only a provider is named
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
	Advice     said.Text // what a person can do, where that is known
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

// Error says why, and behind it what was asked and where. It never holds a key:
// messages are cleaned by scrubber before they get here.
func (e *Error) Error() string { return e.Cause().String() + " (" + e.Detail() + ")" }

// Cause is the provider's own sentence with what can be done about it, or what went wrong
// in a few words where it said nothing.
func (e *Error) Cause() said.Text {
	if e.Message != "" && !e.Advice.IsZero() {
		return said.That("%s. %s", said.Plain(strings.TrimRight(e.Message, " .")), e.Advice)
	}
	if e.Message != "" {
		return said.Plain(e.Message)
	}
	if words, known := causes[e.Kind]; known {
		return words
	}
	return said.Plain(string(e.Kind))
}

var causes = map[Kind]said.Text{
	KindAuth:          said.That("the provider refuses the key"),
	KindRateLimited:   said.That("too many requests"),
	KindQuota:         said.That("no credit is left"),
	KindOverloaded:    said.That("the provider is overloaded"),
	KindOverflow:      said.That("the conversation is too long for the model"),
	KindRejected:      said.That("the provider refuses the request"),
	KindNotFound:      said.That("the provider has no such model"),
	KindContentFilter: said.That("the provider's content filter refuses the request"),
	KindServer:        said.That("the provider failed"),
	KindNetwork:       said.That("the provider cannot be reached"),
	KindUnavailable:   said.That("no model of the chain could answer"),
}

// Detail is what a person needs to look into it: which model was asked at which
// address, the status, and how often.
func (e *Error) Detail() string {
	name := e.Model
	if e.Provider != "" {
		name = e.Provider + "/" + name
	}
	var b strings.Builder
	if e.Kind == KindUnavailable {
		b.WriteString("no model of the chain could answer: " + e.tried() + "; the last was ")
	}
	b.WriteString("asking " + name)
	if e.URL != "" {
		b.WriteString(" at " + e.URL)
	}
	if e.Status != 0 {
		fmt.Fprintf(&b, ": status %d", e.Status)
	}
	if n := len(e.Attempts); n > 1 && e.Kind != KindUnavailable {
		fmt.Fprintf(&b, "; %d attempts: %s", n, e.tried())
	}
	return b.String()
}

// tried lists the attempts: equal ones in a row once, with their number.
func (e *Error) tried() string {
	var words []string
	for i := 0; i < len(e.Attempts); {
		t, n := e.Attempts[i], 0
		for ; i < len(e.Attempts) && e.Attempts[i].Model == t.Model && e.Attempts[i].Status == t.Status && e.Attempts[i].Kind == t.Kind; i++ {
			n++
		}
		word := t.Model + " " + string(t.Kind)
		if t.Status != 0 {
			word += fmt.Sprintf(" (%d)", t.Status)
		}
		if n > 1 {
			word += fmt.Sprintf(" %d times", n)
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// Is lets errors.Is compare by kind: errors.Is(err, &Error{Kind: KindAuth}).
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Kind == e.Kind && t.Status == 0 && t.Message == "" && t.Model == ""
}

// shownURL is u without user info, query and fragment.
func shownURL(u *url.URL) string {
	if u == nil {
		return ""
	}
	clean := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return clean.String()
}
