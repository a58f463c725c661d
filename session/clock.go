package session

import (
	"sync"
	"time"
)

// clock is a run's time limit. It stands still while somebody is asked.
type clock struct {
	mu     sync.Mutex // guards everything below
	timer  *time.Timer
	left   time.Duration
	since  time.Time
	paused int
	over   bool
}

func newClock() *clock { return &clock{} }

// start lets fire be called after d; zero is no limit.
func (c *clock) start(d time.Duration, fire func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d <= 0 || c.over {
		return
	}
	if c.timer != nil {
		c.timer.Stop()
	}
	c.left, c.since = d, time.Now()
	var timer *time.Timer
	timer = time.AfterFunc(d, func() {
		c.mu.Lock()
		mine := c.timer == timer && !c.over // else stopped, or started anew, meanwhile
		if mine {
			c.timer = nil
		}
		c.mu.Unlock()
		if mine {
			fire()
		}
	})
	c.timer = timer
	if c.paused > 0 {
		timer.Stop()
	}
}

func (c *clock) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused++; c.paused == 1 && c.timer != nil && c.timer.Stop() {
		c.left -= time.Since(c.since)
	}
}

func (c *clock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused--; c.paused == 0 && c.timer != nil && !c.over {
		c.since = time.Now()
		c.timer.Reset(max(c.left, 0))
	}
}

func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.timer != nil {
		c.timer.Stop()
	}
}
