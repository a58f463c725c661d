package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestStuckClient: 100 MB of events and some responses while the client reads
// nothing cost a bounded amount of memory; once it reads again, every event
// comes, in order, and no response before the events it stands behind (O8).
func TestStuckClient(t *testing.T) {
	const (
		size  = 1000
		every = 20_000 // a response after so many events
	)
	events := int64(100_000)
	if testing.Short() { // still more than the queue takes
		events = 40_000
	}
	pad := strings.Repeat("x", size-60)
	line := func(seq int64) []byte { return fmt.Appendf(nil, `{"sessionId":"0001","seq":%d,"p":"%s"}`, seq, pad) }
	w := newTap(false)
	told := &reports{}
	o := box(w, madeLog{line}, told)
	o.notify("first", nil)
	w.stuck()

	before := heap()
	for seq := int64(1); seq <= events; seq++ {
		o.Event(Event{"0001", "", seq, line(seq)})
		if seq%every == 0 {
			o.respond(json.RawMessage(fmt.Sprintf(`{"after":%d}`, seq)))
		}
	}
	if grown := heap() - before; grown > 48<<20 {
		t.Errorf("100 MB of events grew the heap by %d MB", grown>>20)
	}
	if entries := entriesIn(o); entries > 40_000 {
		t.Errorf("%d entries are queued", entries)
	}

	got := finish(t, o, w)[1:]
	next := int64(1)
	for _, body := range got {
		var m struct {
			Seq   int64 `json:"seq"`
			After int64 `json:"after"`
		}
		if err := json.Unmarshal([]byte(body), &m); err != nil {
			t.Fatal(err)
		}
		if m.After != 0 {
			if m.After != next-1 {
				t.Fatalf("the response after event %d came after event %d", m.After, next-1)
			}
			continue
		}
		if m.Seq != next {
			t.Fatalf("event %d came in the place of %d", m.Seq, next)
		}
		next++
	}
	if next != events+1 || int64(len(got)) != events+events/every {
		t.Errorf("%d events and %d messages came, want %d and %d", next-1, len(got), events, events+events/every)
	}
	if told.String() != "" {
		t.Errorf("reported: %s", told)
	}
}

// madeLog makes its lines as they are read.
type madeLog struct{ line func(int64) []byte }

func (l madeLog) Events(_, _ string, after, upTo int64, yield func(int64, []byte) bool) error {
	for seq := after + 1; seq <= upTo; seq++ {
		if !yield(seq, l.line(seq)) {
			return nil
		}
	}
	return nil
}

func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func entriesIn(o *outbox) (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for e := o.queue.next; e != &o.queue; e = e.next {
		n++
	}
	return n
}

// overBudget makes the outbox believe that its budget is used up.
func overBudget(o *outbox) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bytes += outboxBudget
}

func underBudget(o *outbox) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bytes -= outboxBudget
}

// TestRanges: beyond the budget one range a session is kept between two frames,
// and children's lines are merged behind the root's line they were written
// after (O5).
func TestRanges(t *testing.T) {
	w, log, _, o := fullBox()
	put := func(session, stream string, order int64, payload string) {
		o.Event(log.add(session, stream, order, payload))
	}
	put("1", "", 1, `{"root":1}`)
	put("1", "a", 1, `{"a":1}`)
	put("1", "b", 1, `{"b":1}`)
	put("1", "a", 1, `{"a":2}`)
	put("2", "", 1, `{"other":1}`)
	put("1", "", 2, `{"root":2}`)
	put("1", "b", 2, `{"b":2}`)
	if n := entriesIn(o); n != 2 {
		t.Errorf("%d entries, want a range for each of two sessions", n)
	}
	o.respond(json.RawMessage(`{"answer":1}`))
	put("1", "a", 3, `{"a":3}`) // the child's line first, the root's line 3 right behind
	put("1", "", 3, `{"root":3}`)
	put("1", "a", 3, `{"a":4}`)
	put("1", "b", 2, `{"b":3}`)
	underBudget(o)
	want(t, finish(t, o, w),
		`{"jsonrpc":"2.0","method":"first"}`,
		`{"root":1}`, `{"a":1}`, `{"a":2}`, `{"b":1}`, `{"root":2}`, `{"b":2}`, `{"other":1}`,
		`{"answer":1}`, `{"b":3}`, `{"root":3}`, `{"a":3}`, `{"a":4}`)
}

// TestRangeBehindText: an event that joins an earlier range never comes before
// text that was to be seen before it: that text becomes a gap (O3).
func TestRangeBehindText(t *testing.T) {
	w, log, _, o := fullBox()
	o.Event(log.add("1", "", 1, `{"seq":1}`))
	underBudget(o)
	o.Delta(textOf("1", "m")("hello"))
	o.Output(textOf("1", "out")("four"))
	o.Latest("1", "r", EventMethod, json.RawMessage(`{"state":1}`))
	o.Delta(textOf("2", "m")("other session"))
	overBudget(o)
	o.Event(log.add("1", "", 2, `{"seq":2}`))
	o.Delta(textOf("1", "m")("dropped"))
	underBudget(o)
	want(t, finish(t, o, w), `{"jsonrpc":"2.0","method":"first"}`, `{"seq":1}`, `{"seq":2}`, `{"m":"other session"}`,
		string(gapJSON("1", 1, 5+4+7)))
}

// TestLogUnreadable: events that cannot be read again are told as a gap, and
// what stands behind them comes.
func TestLogUnreadable(t *testing.T) {
	w, log, told, o := fullBox()
	o.Event(log.add("1", "", 1, `{"seq":1}`))
	log.err = errors.New("disk is gone")
	underBudget(o)
	o.respond(json.RawMessage(`{"answer":1}`))
	want(t, finish(t, o, w), `{"jsonrpc":"2.0","method":"first"}`, `{"seq":1}`, string(gapJSON("1", 1, 0)), `{"answer":1}`)
	if !strings.Contains(told.String(), "disk is gone") {
		t.Error("nobody was told")
	}
}

// TestReplay: a replay is read from the log behind what stands before it and in
// front of its response.
func TestReplay(t *testing.T) {
	w, log, told := newTap(true), &fakeLog{}, &reports{}
	o := box(w, log, told)
	for i := range 3 {
		log.add("1", "", int64(i), fmt.Sprintf(`{"seq":%d}`, i+1))
	}
	o.respond(json.RawMessage(`{"before":1}`))
	o.Replay("1", "", 1, 3)
	o.Replay("1", "", 3, 3)
	o.respond(json.RawMessage(`{"resumed":1}`))
	want(t, finish(t, o, w), `{"before":1}`, `{"seq":2}`, `{"seq":3}`, `{"resumed":1}`)
}
