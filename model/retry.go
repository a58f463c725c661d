package model

import (
	"context"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	maxAttempts = 3                // requests per model and key (ruling 12)
	maxWait     = 30 * time.Second // of our own choice
	maxAsked    = 60 * time.Second // that a provider may ask for; longer means: try elsewhere
	restFor     = 60 * time.Second // of a model that failed
)

// backoff is the wait after the n-th failed attempt, from 1: about 2, 4, 8 …
// 30 s, ±20 %. random is in [0,1).
func backoff(n int, random float64) time.Duration {
	wait := min(maxWait, time.Second<<min(n, 10))
	return time.Duration(float64(wait) * (0.8 + 0.4*random))
}

// pause waits, or returns the cause of ctx.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

var (
	tryAgainIn  = onFirstUse(`(?i)(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?(?:ms|us|µs|[hms]))+|\d+(?:\.\d+)?(?: ?s(?:ec(?:ond)?s?)?\b| ?milliseconds|\b))`)
	retryDelay  = onFirstUse(`"retryDelay":\s*"(\d+(?:\.\d+)?)s"`)
	retrySecs   = onFirstUse(`"retry_after(?:_seconds)?":\s*"?(\d+(?:\.\d+)?)`)
	resetMillis = onFirstUse(`(?i)"X-RateLimit-Reset":\s*"?(\d{12,14})`)
)

// retryAfter is how long the provider asks to wait, 0 if it does not say:
// retry-after-ms, Retry-After (seconds or a date), Gemini's retryDelay,
// OpenRouter's reset in epoch milliseconds, "try again in 4.77s", and the reset
// of a limit of which nothing remains. header may be nil.
func retryAfter(now time.Time, header http.Header, body string) time.Duration {
	if ms, ok := positive(header.Get("Retry-After-Ms")); ok {
		return seconds(ms / 1000)
	}
	if after := header.Get("Retry-After"); after != "" {
		if s, ok := positive(after); ok {
			return seconds(s)
		}
		if at, err := http.ParseTime(after); err == nil && at.After(now) {
			return at.Sub(now)
		}
	}
	for _, re := range []func() *regexp.Regexp{retryDelay, retrySecs} {
		if m := re().FindStringSubmatch(unescaped(body)); m != nil {
			if s, ok := positive(m[1]); ok {
				return seconds(s)
			}
		}
	}
	if m := resetMillis().FindStringSubmatch(unescaped(body)); m != nil {
		if ms, ok := positive(m[1]); ok {
			if wait := time.UnixMilli(int64(ms)).Sub(now); wait > 0 {
				return wait
			}
		}
	}
	if m := tryAgainIn().FindStringSubmatch(body); m != nil {
		if d := span(m[1]); d > 0 {
			return d
		}
	}
	return limitReset(header)
}

// limitReset looks at the headers of rate limits.
func limitReset(header http.Header) time.Duration {
	var wait time.Duration
	for _, what := range []string{"Requests", "Tokens", "Tokens-Minute", "Requests-Minute"} {
		if header.Get("X-Ratelimit-Remaining-"+what) == "0" {
			wait = max(wait, span(header.Get("X-Ratelimit-Reset-"+what)))
		}
	}
	for _, name := range []string{"Ratelimit-Reset", "Ratelimitbysize-Reset"} {
		if wait == 0 {
			wait = span(header.Get(name))
		}
	}
	return wait
}

// span reads "6m0s", "12ms", "4.77", "4.77 seconds"; plain numbers are seconds.
func span(s string) time.Duration {
	s = strings.TrimSpace(s)
	if d, err := time.ParseDuration(s); err == nil && d > 0 {
		return d
	}
	number, unit := s, ""
	if i := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' }); i > 0 {
		number, unit = s[:i], strings.TrimSpace(s[i:])
	}
	n, ok := positive(number)
	if !ok {
		return 0
	}
	if strings.HasPrefix(unit, "milli") {
		n /= 1000
	}
	return seconds(n)
}

func positive(s string) (float64, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return f, err == nil && f > 0 && !math.IsInf(f, 0)
}

func seconds(s float64) time.Duration {
	return time.Duration(min(s, 1e9) * float64(time.Second))
}

var escapedQuote = onFirstUse(`\\+"`)

// unescaped opens JSON that stands in a string, as gateways pass it on.
func unescaped(body string) string { return escapedQuote().ReplaceAllString(body, `"`) }
