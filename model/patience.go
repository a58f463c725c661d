package model

import (
	"errors"
	"time"
)

// How long silence is borne (ruling 99).
const (
	firstByte          = 120 * time.Second
	firstByteReasoning = 600 * time.Second
	idle               = 120 * time.Second
	commentsFor        = 10 * time.Minute // keep-alives alone
	idleFinished       = 15 * time.Second // after a finish reason only usage may follow
	afterMarker        = 50 * time.Millisecond
)

var (
	errSilent   = errors.New("the provider was silent for too long")
	errFinished = errors.New("nothing followed the finish reason")
)

// patience ends a request that has become silent. The clock runs only while
// this side waits for bytes, so a slow consumer never looks like a silent
// provider. Bytes that are no event (comments, blank lines) start a new wait,
// but all waits since the last event together are bounded. The nil patience
// waits for ever.
type patience struct {
	stop  func(error) // cancels the request
	timer *time.Timer

	first    time.Duration // until the first event
	idle     time.Duration // between events
	comments time.Duration // without an event

	begun   time.Time     // of the current wait
	waited  time.Duration // since the last event
	started bool          // an event was seen
	ended   bool          // a finish reason was seen
	late    bool          // the end marker was seen
}

// wait starts the clock.
func (p *patience) wait() {
	if p == nil {
		return
	}
	allowed := p.idle
	if !p.started {
		allowed = max(p.idle, p.first-p.waited)
		if p.waited == 0 {
			allowed = p.first
		}
	}
	if p.waited > 0 {
		allowed = min(allowed, max(p.comments, p.first)-p.waited)
	}
	why := errSilent
	if p.ended {
		allowed, why = min(allowed, idleFinished), errFinished
	}
	if p.late {
		allowed = afterMarker
	}
	p.begun = time.Now()
	p.timer = time.AfterFunc(max(allowed, time.Millisecond), func() { p.stop(why) })
}

// read stops the clock: bytes arrived, or the wait failed.
func (p *patience) read() {
	if p == nil || p.timer == nil {
		return
	}
	p.timer.Stop()
	p.timer = nil
	p.waited += max(time.Since(p.begun), 1)
}

// event is a real sign of life.
func (p *patience) event() {
	if p != nil {
		p.started, p.waited = true, 0
	}
}

// thinks says that the answer goes on with reasoning, of which nothing may be
// shown for as long as before its first event.
func (p *patience) thinks() {
	if p != nil {
		p.started, p.waited = false, 0
	}
}

// finished shortens what follows.
func (p *patience) finished() {
	if p != nil {
		p.ended = true
	}
}

// drain shortens it to almost nothing.
func (p *patience) drain() {
	if p != nil {
		p.late = true
	}
}
