package surface

import (
	"context"
	"sync"
	"time"
)

// quiet is how long after a keystroke no question pops up, so that what a person
// types is never an answer.
const quiet = 2 * time.Second

// typing knows when the person typed last.
type typing struct {
	mu   sync.Mutex // guards everything below
	last time.Time
}

// typed says that the person types now.
func (t *typing) typed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = time.Now()
}

// untyped is how long it takes until nothing was typed for two seconds.
func (t *typing) untyped() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last.IsZero() {
		return 0
	}
	return quiet - time.Since(t.last)
}

// waitQuiet waits until nothing was typed for two seconds; false when ctx ends
// before.
func (t *typing) waitQuiet(ctx context.Context) bool {
	for left := t.untyped(); left > 0; left = t.untyped() {
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return false
		}
	}
	return ctx.Err() == nil
}
