package wire

import (
	"context"
	"sync"
	"time"
)

// parentPoll is how often a process is looked at where the system cannot tell
// of its end; well under the 5 s in which leaving is promised.
const parentPoll = 2 * time.Second

// WatchParent calls died once when the process pid ends, within 5 s of it. A
// process that does not exist now is not watched, nor is a pid below 1: then
// watching is false. stop ends the watch and waits for it; it must not be
// called by died.
func WatchParent(pid int, died func()) (stop func(), watching bool) {
	if pid < 1 || !processExists(pid) {
		return func() {}, false
	}
	wait, release, alive := awaitExit(pid)
	if !alive {
		release()
		return func() {}, false
	}
	ctx, cancel := context.WithCancel(context.Background())
	var watch sync.WaitGroup
	watch.Go(func() {
		if wait == nil {
			wait = func() bool { return pollExit(ctx, pid) }
		}
		if wait() && ctx.Err() == nil {
			died()
		}
	})
	return func() {
		cancel()
		release()
		watch.Wait()
	}, true
}

// pollExit returns true when the process is gone and false when ctx ended.
func pollExit(ctx context.Context, pid int) bool {
	tick := time.NewTicker(parentPoll)
	defer tick.Stop()
	for processExists(pid) {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return true
}
