package model

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// retryAfter is how long the provider asks to wait, 0 if it does not say. The
// first of these that says something counts: retry-after-ms; Retry-After in
// seconds or as a date; a member of the body ("retryDelay": "48s"); a sentence
// ("try again in 4.77s"). header may be nil.
func retryAfter(now time.Time, header http.Header, body string) time.Duration {
	// A date is the provider's: its own clock says how far away it is.
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if wait := span(header.Get(name) + "ms"); wait > 0 {
			return wait
		}
	}
	after := strings.TrimSpace(header.Get("Retry-After"))
	if at, err := http.ParseTime(after); err == nil {
		return max(0, at.Sub(now))
	}
	if wait := span(after); wait > 0 {
		return wait
	}
	text := unescaped(body)
	if m := delayMember().FindStringSubmatch(text); m != nil {
		if strings.HasPrefix(strings.ToLower(m[1]), "m") {
			return span(m[2] + "ms")
		}
		return span(m[2])
	}
	for _, m := range delaySentence().FindAllStringSubmatch(text, 4) {
		if wait := span(m[1]); wait > 0 {
			return wait
		}
	}
	return 0
}

var (
	delayMember   = lazy.Regexp(`(?i)"retry[_-]?(?:delay|after|in)[_-]?(seconds|secs|s|ms|millis|milliseconds)?":\s*"?(\d+(?:\.\d+)?)s?\b`)
	delaySentence = lazy.Regexp(`(?i)(?:(?:try|retry|request)(?: it| this| your request)? ?again|retry|wait|available|resets?)(?: again)?(?: in| after| for)?(?: about| at least)? ((?:\d+(?:\.\d+)?(?:ms|us|µs|[hms]))+\b|\d+(?:\.\d+)?(?: ?[a-z]+)?)`)
	oneSpan       = lazy.Regexp(`^(\d+(?:\.\d+)?) ?(ms|s|sec|seconds?|m|min|minutes?|h|hours?)?$`)
	escapedQuote  = lazy.Regexp(`\\+"`)
)

// units are those of one letter, by the first of a longer word.
var units = map[string]time.Duration{"": time.Second, "s": time.Second, "m": time.Minute, "h": time.Hour, "ms": time.Millisecond}

// span reads "6m0s", "12ms", "4.77", "4.77 seconds", "2 minutes". A number alone
// is seconds.
func span(s string) time.Duration {
	s = strings.ToLower(strings.TrimSpace(s))
	if d, err := time.ParseDuration(s); err == nil {
		return max(0, d)
	}
	m := oneSpan().FindStringSubmatch(s)
	if m == nil {
		return 0
	}
	unit, known := units[m[2]]
	if !known {
		unit = units[m[2][:1]]
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil || math.IsInf(n, 0) {
		return 0
	}
	return time.Duration(min(n*unit.Seconds(), 1e9) * float64(time.Second))
}

// unescaped opens JSON that is in a string, as gateways pass it on.
func unescaped(body string) string { return escapedQuote().ReplaceAllString(body, `"`) }
