package model

import (
	"errors"
	"time"
)

// How long silence is borne.
const (
	firstByte          = 120 * time.Second
	firstByteReasoning = 600 * time.Second
	idle               = 120 * time.Second
	commentsFor        = 10 * time.Minute // keep-alives alone
	idleFinished       = 15 * time.Second // after a finish reason only usage may follow
	refusalText        = 10 * time.Second // for the text of an answer that is an error
	afterMarker        = 50 * time.Millisecond
)

var (
	errSilent   = errors.New("the provider was silent for too long")
	errLate     = errors.New("the answer was not there in the time that the configuration gives the model")
	errFinished = errors.New("nothing followed the finish reason")
)

// idleTimer ends a request that has become silent. The clock runs only while
// this side waits for bytes, so a slow consumer never looks like a silent
// provider. Bytes that bring nothing of the answer (comments, blank lines, empty
// events) start a new wait, but all waits since the last piece of the answer
// together are bounded. The nil idleTimer waits for ever.
type idleTimer struct {
	stop  func(error) // cancels the request
	timer *time.Timer

	first    time.Duration // until the first byte of the answer
	idle     time.Duration // between bytes
	comments time.Duration // without a piece of the answer

	begun   time.Time     // of the current wait
	waited  time.Duration // since the last piece of the answer
	reads   int           // waits that ended; the first is for the headers
	started bool          // an event was seen
	refused bool          // the status is an error: only its text follows
	ended   bool          // a finish reason was seen
	late    bool          // the end marker was seen
}

// startClock bounds the wait for bytes that begins now.
func (p *idleTimer) startClock() {
	if p == nil {
		return
	}
	allowed, why := p.allowed()
	p.begun = time.Now()
	p.timer = time.AfterFunc(max(allowed, time.Millisecond), func() { p.stop(why) })
}

// allowed is how long the next wait may be.
func (p *idleTimer) allowed() (allowed time.Duration, why error) {
	switch {
	case p.late:
		return afterMarker, errFinished
	case p.refused:
		return refusalText, errSilent
	case p.ended:
		return min(p.idle, idleFinished-p.waited), errFinished
	case p.reads < 2: // no byte of the answer yet, at most its headers
		return p.first - p.waited, errSilent
	}
	allowed = p.idle
	if !p.started { // what came are comments: the model may still be thinking
		allowed = max(p.idle, p.first-p.waited)
	}
	if p.waited > 0 {
		allowed = min(allowed, max(p.comments, p.first)-p.waited)
	}
	return allowed, errSilent
}

// stopClock ends that wait: bytes arrived, or it failed.
func (p *idleTimer) stopClock() {
	if p == nil || p.timer == nil {
		return
	}
	p.timer.Stop()
	p.timer = nil
	p.reads++
	p.waited += time.Since(p.begun)
}

// event is a sign that the stream has begun.
func (p *idleTimer) event() {
	if p != nil {
		p.started = true
	}
}

// progress is a piece of the answer.
func (p *idleTimer) progress() {
	if p != nil {
		p.waited = 0
	}
}

// refusal shortens the wait for the text of an error.
func (p *idleTimer) refusal() {
	if p != nil {
		p.refused = true
	}
}

// thinks says that the answer goes on with reasoning, of which nothing may be
// shown for as long as before its first event.
func (p *idleTimer) thinks() {
	if p != nil {
		p.started, p.waited = false, 0
	}
}

// finished shortens what follows.
func (p *idleTimer) finished() {
	if p != nil && !p.ended {
		p.ended, p.waited = true, 0
	}
}

// drain shortens it to almost nothing.
func (p *idleTimer) drain() {
	if p != nil {
		p.late = true
	}
}
