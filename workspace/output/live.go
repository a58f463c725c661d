package output

import (
	"sync"
	"time"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// What is shown while it comes.
const (
	LiveBytes = 8 << 10 // of one piece
	LiveEvery = 100 * time.Millisecond
)

// live shows output while it comes: the last LiveBytes of each LiveEvery. A
// command that is quicker shows nothing, its result follows at once; that also
// keeps what is shown independent of how the output was cut into reads.
type live struct {
	sink tool.Sink

	mu      sync.Mutex // guards the rest, and is held while the sink is told
	pending []byte
	timer   *time.Timer // runs while something is pending
	closed  bool
}

func (l *live) add(text string) {
	if text == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	if len(l.pending)+len(text) > 2*LiveBytes {
		l.pending = l.pending[:copy(l.pending, LastPart(l.pending, LiveBytes))]
	}
	l.pending = append(l.pending, text...)
	if l.timer == nil {
		l.timer = time.AfterFunc(LiveEvery, l.show)
	}
}

func (l *live) show() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer = nil
	if l.closed || len(l.pending) == 0 {
		return
	}
	text := LastPart(l.pending, LiveBytes)
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	l.sink.Output("", string(text))
	l.pending = l.pending[:0]
}

// close returns when nothing will be shown any more.
func (l *live) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.timer != nil {
		l.timer.Stop()
	}
}
