package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// tap is a client that reads only while it is open.
type tap struct {
	mu     sync.Mutex
	opened sync.Cond
	open   bool
	inside bool // a Write waits
	forget bool // what is written is not kept
	buf    bytes.Buffer
	err    error
}

func newTap(open bool) *tap {
	w := &tap{open: open}
	w.opened.L = &w.mu
	return w
}

func (w *tap) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for !w.open {
		w.inside = true
		w.opened.Broadcast()
		w.opened.Wait()
	}
	w.inside = false
	if w.err != nil {
		return 0, w.err
	}
	if w.forget {
		return len(p), nil
	}
	return w.buf.Write(p)
}

func (w *tap) set(open bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = open
	w.opened.Broadcast()
}

// read returns what the client has got so far.
func (w *tap) read() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return bytes.Clone(w.buf.Bytes())
}

// stuck returns when the writer waits for the client.
func (w *tap) stuck() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for !w.inside {
		w.opened.Wait()
	}
}

// fakeLog holds events by "session/stream"; each is {order, payload}, its seq is
// its index plus one.
type fakeLog struct {
	mu     sync.Mutex
	events map[string][]logged
	err    error
}

type logged struct {
	order   int64
	payload []byte
}

func (l *fakeLog) add(session, stream string, order int64, payload string) Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.events == nil {
		l.events = map[string][]logged{}
	}
	key := session + "/" + stream
	l.events[key] = append(l.events[key], logged{order, []byte(payload)})
	return Event{session, stream, int64(len(l.events[key])), json.RawMessage(payload)}
}

func (l *fakeLog) Events(session, stream string, after, upTo int64, yield func(int64, []byte) bool) error {
	l.mu.Lock()
	events := l.events[session+"/"+stream]
	l.mu.Unlock()
	for seq := after + 1; seq <= upTo && seq <= int64(len(events)); seq++ {
		if !yield(events[seq-1].order, events[seq-1].payload) {
			return nil
		}
	}
	return l.err
}

// box starts an outbox on w that is past the hold.
func box(w *tap, log EventLog, told *reports) *outbox {
	o := newOutbox(w, outboxConfig{log: log, gap: gapJSON, report: told.add})
	o.open()
	return o
}

// fullBox is an outbox whose client reads nothing, with the first message on
// its way, and whose budget is used up.
func fullBox() (*tap, *fakeLog, *reports, *outbox) {
	w, log, told := newTap(false), &fakeLog{}, &reports{}
	o := box(w, log, told)
	o.notify("first", nil)
	w.stuck()
	overBudget(o)
	return w, log, told, o
}

// finish lets the client read, ends the outbox and returns what was written:
// of events the params, else the whole body.
func finish(t testing.TB, o *outbox, w *tap) (out []string) {
	t.Helper()
	w.set(true)
	o.close(true)
	<-o.done
	for _, body := range bodies(t, w.read()) {
		if params, ok := strings.CutPrefix(body, `{"jsonrpc":"2.0","method":"agent/event","params":`); ok {
			body = strings.TrimSuffix(params, "}")
		}
		out = append(out, body)
	}
	return out
}

func want(t *testing.T, got []string, want ...string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		var g, w string
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("message %d is %.300s, want %.300s", i, g, w)
		}
	}
}

func textOf(session, key string) func(string) TextPart {
	return func(s string) TextPart {
		return TextPart{Session: session, Key: key, AfterSeq: 1, Text: s, Encode: func(s string) json.RawMessage {
			return json.RawMessage(fmt.Sprintf(`{"%s":%q}`, key, s))
		}}
	}
}
