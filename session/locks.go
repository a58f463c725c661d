package session

import (
	"context"
	"slices"
	"sync"
)

// Locks keeps two calls, of whatever session of this process, from changing
// one path at the same time.
type Locks struct {
	mu   sync.Mutex // guards held
	held map[string]chan struct{}
}

// NewLocks are locks that nobody holds.
func NewLocks() *Locks { return &Locks{held: map[string]chan struct{}{}} }

// take waits for all of paths, in one order for everybody, until ctx ends.
func (l *Locks) take(ctx context.Context, paths []string) (release func(), err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	paths = slices.Compact(slices.Sorted(slices.Values(paths)))
	for i, p := range paths {
		if err := l.one(ctx, p); err != nil {
			l.free(paths[:i])
			return nil, err
		}
	}
	return func() { l.free(paths) }, nil
}

func (l *Locks) one(ctx context.Context, path string) error {
	for {
		l.mu.Lock()
		busy, taken := l.held[path]
		if !taken {
			l.held[path] = make(chan struct{})
			l.mu.Unlock()
			return nil
		}
		l.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (l *Locks) free(paths []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range paths {
		close(l.held[p])
		delete(l.held, p)
	}
}
