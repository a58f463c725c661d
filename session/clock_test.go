package session

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClock()
		var fired atomic.Int64
		c.start(10*time.Second, func() { fired.Add(1) })
		at := func(d time.Duration, want int64, when string) {
			t.Helper()
			<-time.After(d)
			synctest.Wait()
			if n := fired.Load(); n != want {
				t.Errorf("%s: fired %d times, want %d", when, n, want)
			}
		}
		at(9*time.Second, 0, "before its time")
		c.pause()
		c.pause()
		at(time.Hour, 0, "while it stands still")
		c.resume()
		at(time.Hour, 0, "while one still asks")
		c.resume()
		at(999*time.Millisecond, 0, "with a moment left")
		at(2*time.Millisecond, 1, "when its time is up")
		c.pause()
		c.resume()
		at(time.Hour, 1, "asked after it has fired")
		c.start(time.Second, func() { fired.Add(1) })
		c.stop()
		at(time.Hour, 1, "stopped")
		c.start(time.Second, func() { fired.Add(1) })
		at(time.Hour, 1, "started after its end")
	})
}
