package model

import (
	"net/http"
	"testing"
	"time"
)

// TestRetryAfter: the spellings of a wait that providers use, and what only
// looks like one.
func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	in := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for _, row := range []struct {
		name   string
		header []string
		body   string
		want   time.Duration
	}{
		{"nothing", nil, "", 0},
		{"seconds", []string{"Retry-After", "7"}, "", 7 * time.Second},
		{"fractional seconds", []string{"Retry-After", "0.75"}, "", 750 * time.Millisecond},
		{"with blanks", []string{"Retry-After", " 7 "}, "", 7 * time.Second},
		{"with a unit", []string{"Retry-After", "1.5s"}, "", 1500 * time.Millisecond},
		{"a date", []string{"Retry-After", in(42 * time.Second)}, "", 42 * time.Second},
		{"a date of RFC 850", []string{"Retry-After", now.Add(time.Minute).Format("Monday, 02-Jan-06 15:04:05 GMT")}, "", time.Minute},
		{"a date of C", []string{"Retry-After", now.Add(9 * time.Second).Format(time.ANSIC)}, "", 9 * time.Second},
		{"a date that has passed", []string{"Retry-After", in(-time.Minute)}, "", 0},
		{"a date by the provider's clock", []string{"Date", in(time.Hour), "Retry-After", in(time.Hour + 5*time.Second)}, "", 5 * time.Second},
		{"milliseconds", []string{"Retry-After-Ms", "1250"}, "", 1250 * time.Millisecond},
		{"milliseconds win", []string{"Retry-After", "11", "Retry-After-Ms", "11054"}, "", 11054 * time.Millisecond},
		{"Azure's 0 ms and 1 s", []string{"Retry-After", "1", "Retry-After-Ms", "0"}, "", time.Second},
		{"Azure's other name", []string{"X-Ms-Retry-After-Ms", "500"}, "", 500 * time.Millisecond},
		{"negative", []string{"Retry-After", "-5"}, "", 0},
		{"no number", []string{"Retry-After", "soon"}, "", 0},
		{"not a number", []string{"Retry-After", "NaN"}, "", 0},
		{"infinite", []string{"Retry-After", "Inf"}, "", 0},
		{"huge", []string{"Retry-After", "99999999999999999999999"}, "", 1e9 * time.Second},
		{"the header wins over the text", []string{"Retry-After", "3"}, "Please try again in 9s", 3 * time.Second},
		{"a useless header leaves the text", []string{"Retry-After", "soon"}, "Please try again in 9s", 9 * time.Second},

		{"OpenAI's sentence", nil, `{"error":{"message":"Rate limit reached for gpt-4o. Please try again in 11.054s. Visit"}}`, 11054 * time.Millisecond},
		{"in milliseconds", nil, "Please try again in 350ms.", 350 * time.Millisecond},
		{"in minutes and seconds", nil, "Please try again in 6m0s.", 6 * time.Minute},
		{"in hours", nil, "Please try again in 1h2m3.5s", time.Hour + 2*time.Minute + 3500*time.Millisecond},
		{"in words", nil, "Please retry after 20 seconds.", 20 * time.Second},
		{"in other words", nil, "Too many requests. Please wait 2 minutes before you ask again", 2 * time.Minute},
		{"Gemini's sentence", nil, "Please retry in 48.939935699s.", 48939935699 * time.Nanosecond},
		{"a number alone is seconds", nil, "Try again in 5.", 5 * time.Second},
		{"Anthropic's", nil, "available again in 3 hours", 3 * time.Hour},
		{"a limit is no wait", nil, "Limit 30000, Requested 342389. 20 requests per min.", 0},
		{"a number of tries is no wait", nil, "retry 3 times", 0},
		{"a few is no number", nil, "try again in a few seconds", 0},

		{"Google's member", nil, `[{"error":{"code":429,"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"48s"}]}}]`, 48 * time.Second},
		{"Google's fraction", nil, `{"retryDelay": "1.25s"}`, 1250 * time.Millisecond},
		{"a gateway's seconds", nil, `{"error":{"metadata":{"retry_after_seconds":31}}}`, 31 * time.Second},
		{"a member retry_after", nil, `{"retry_after": 2.5}`, 2500 * time.Millisecond},
		{"a member retry_after_ms", nil, `{"retry_after_ms": 1500}`, 1500 * time.Millisecond},
		{"a member retryAfterMs", nil, `{"retryAfterMs":1500}`, 1500 * time.Millisecond},
		{"headers in a body", nil, `{"error":{"metadata":{"headers":{"Retry-After":"4"}}}}`, 4 * time.Second},
		{"JSON in a string", nil, `{"metadata":{"raw":"{\"error\":{\"details\":[{\"retryDelay\":\"7s\"}]}}"}}`, 7 * time.Second},

		{"when a limit is counted anew is no wait", []string{"X-Ratelimit-Remaining-Tokens", "0", "X-Ratelimit-Reset-Tokens", "6m0s"}, "", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := http.Header{}
			for i := 0; i+1 < len(row.header); i += 2 {
				h.Set(row.header[i], row.header[i+1])
			}
			if got := retryAfter(now, h, row.body).Round(time.Nanosecond); got-row.want > time.Microsecond || row.want-got > time.Microsecond {
				t.Errorf("%v, want %v", got, row.want)
			}
		})
	}
	if got := retryAfter(now, nil, "try again in 2s"); got != 2*time.Second {
		t.Errorf("without headers: %v", got)
	}
}
