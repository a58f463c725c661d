package model

import (
	"context"
	"time"
)

const (
	maxAttempts = 3                // requests per model and key
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

// failure is one request that failed, with what the retry loop needs to decide.
type failure struct {
	err   *Error
	class class
	// body is what the provider said, for quirks and for Retry-After.
	body string
	// again says that the same question may succeed later.
	again bool
}
