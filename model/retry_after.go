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
// seconds or as a date; the same in the body; a sentence ("try again in 4.77s");
// and when a limit is counted anew. header may be nil.
func retryAfter(now time.Time, header http.Header, body string) time.Duration {
	// Dates and epochs are the provider's: its own clock says how far away they are.
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if ms, ok := positive(header.Get(name)); ok {
			return seconds(ms / 1000)
		}
	}
	if wait := fromNow(now, header.Get("Retry-After")); wait > 0 {
		return wait
	}
	text := unescaped(body)
	for _, find := range []func(time.Time, string) time.Duration{delayMember, resetMember, delaySentence} {
		if wait := find(now, text); wait > 0 {
			return wait
		}
	}
	return limitReset(now, header)
}

var (
	delaySecs   = lazy.Regexp(`(?i)"retry[_-]?(?:delay|after|in)(?:_?(?:seconds|secs|s))?":\s*"?(\d+(?:\.\d+)?)s?\b"?`)
	delayMillis = lazy.Regexp(`(?i)"retry[_-]?(?:delay|after|in)[_-]?(?:ms|millis(?:econds)?)":\s*"?(\d+(?:\.\d+)?)`)
	delayDate   = lazy.Regexp(`(?i)"retry[_-]?after":\s*"([A-Z][a-z]{2}[^"]{10,40})"`)
	resetAt     = lazy.Regexp(`(?i)"(?:x-)?ratelimit-reset":\s*"?(\d+(?:\.\d+)?)`)
)

// delayMember is a member of the body that says how long: Google's
// "retryDelay": "48s", "retry_after_seconds", "retry_after_ms", and the headers
// of an upstream that a gateway passes on.
func delayMember(now time.Time, body string) time.Duration {
	if m := delayMillis().FindStringSubmatch(body); m != nil {
		if ms, ok := positive(m[1]); ok {
			return seconds(ms / 1000)
		}
	}
	if m := delaySecs().FindStringSubmatch(body); m != nil {
		if s, ok := positive(m[1]); ok {
			return seconds(s)
		}
	}
	if m := delayDate().FindStringSubmatch(body); m != nil {
		return fromNow(now, m[1])
	}
	return 0
}

// resetMember is the reset of a limit in the body: OpenRouter's stands there.
func resetMember(now time.Time, body string) time.Duration {
	if m := resetAt().FindStringSubmatch(body); m != nil {
		return fromNow(now, m[1])
	}
	return 0
}

var (
	askedSentence = lazy.Regexp(`(?i)(?:(?:try|retry|request)(?: it| this| your request)? ?again|retry|wait|available|resets?)(?: again)?(?: in| after| for)?(?: about| at least)? ((?:\d+(?:\.\d+)?(?:ms|us|µs|[hms]))+\b|\d+(?:\.\d+)?(?: ?[a-z]+)?)`)
	oneSpan       = lazy.Regexp(`^(\d+(?:\.\d+)?) ?([a-zµ]*)$`)
)

// delaySentence is what a text for people says: "Please try again in 6m0s".
func delaySentence(_ time.Time, body string) time.Duration {
	for _, m := range askedSentence().FindAllStringSubmatch(body, 4) {
		if wait := span(m[1]); wait > 0 {
			return wait
		}
	}
	return 0
}

var draftLimit = lazy.Regexp(`(?:^|[;, ])(?:reset|t)=(\d+)`)

// limitReset is when a limit is counted anew, by the headers that tell of limits,
// under all their names (x-ratelimit-reset-tokens, ratelimit-reset,
// anthropic-ratelimit-requests-reset): the latest of those of which nothing
// remains; where none is said to be used up, the earliest, if that is soon.
func limitReset(now time.Time, header http.Header) time.Duration {
	if m := draftLimit().FindStringSubmatch(header.Get("Ratelimit")); m != nil {
		return span(m[1])
	}
	var spent, soonest time.Duration
	for name := range header {
		name = strings.ToLower(name)
		if !strings.Contains(name, "ratelimit") || !strings.Contains(name, "reset") {
			continue
		}
		wait := fromNow(now, header.Get(name))
		if wait <= 0 {
			continue
		}
		if soonest == 0 || wait < soonest {
			soonest = wait
		}
		if strings.TrimSpace(header.Get(strings.Replace(name, "reset", "remaining", 1))) == "0" {
			spent = max(spent, wait)
		}
	}
	switch {
	case spent > 0:
		return spent
	case soonest > maxAsked:
		return 0 // it may be another limit that was hit
	}
	return soonest
}

// fromNow reads a moment or a span in any spelling: a date of HTTP or RFC 3339,
// seconds or milliseconds since 1970, "6m0s", "12ms", "4.77".
func fromNow(now time.Time, s string) time.Duration {
	s = strings.TrimSpace(s)
	if at, err := http.ParseTime(s); err == nil {
		return max(0, at.Sub(now))
	}
	if at, err := time.Parse(time.RFC3339, s); err == nil {
		return max(0, at.Sub(now))
	}
	if n, ok := positive(s); ok && n >= 1e9 && n < 1e14 { // no span: that would be 30 years
		at := time.Unix(int64(n), 0)
		if n >= 1e11 {
			at = time.UnixMilli(int64(n))
		}
		return max(0, at.Sub(now))
	}
	return span(s)
}

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
	n, ok := positive(m[1])
	unit := unitOf(m[2])
	if !ok || unit == 0 {
		return 0
	}
	return seconds(n * unit.Seconds())
}

// unitOf is the unit of a word, 0 for a word that is none.
func unitOf(word string) time.Duration {
	switch word {
	case "", "s", "sec", "secs", "second", "seconds":
		return time.Second
	case "ms", "msec", "millis", "millisecond", "milliseconds":
		return time.Millisecond
	case "m", "min", "mins", "minute", "minutes":
		return time.Minute
	case "h", "hr", "hrs", "hour", "hours":
		return time.Hour
	case "d", "day", "days":
		return 24 * time.Hour
	}
	return 0
}

func positive(s string) (float64, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return f, err == nil && f > 0 && !math.IsInf(f, 0)
}

func seconds(s float64) time.Duration {
	return time.Duration(min(s, 1e9) * float64(time.Second))
}

var escapedQuote = lazy.Regexp(`\\+"`)

// unescaped opens JSON that stands in a string, as gateways pass it on.
func unescaped(body string) string { return escapedQuote().ReplaceAllString(body, `"`) }
