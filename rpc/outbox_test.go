package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// tap is a client that reads only while it is open.
type tap struct {
	mu     sync.Mutex
	opened sync.Cond
	open   bool
	inside bool // a Write waits
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

func (l *fakeLog) add(session, stream string, order int64, payload string) event {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.events == nil {
		l.events = map[string][]logged{}
	}
	key := session + "/" + stream
	l.events[key] = append(l.events[key], logged{order, []byte(payload)})
	return event{session, stream, int64(len(l.events[key])), json.RawMessage(payload)}
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
func box(w *tap, log eventLog, told *reports) *outbox {
	o := newOutbox(w, outboxConfig{log: log, gap: gapJSON, report: told.add})
	o.open()
	return o
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

func textOf(session, key string) func(string) textPart {
	return func(s string) textPart {
		return textPart{session: session, key: key, afterSeq: 1, text: s, encode: func(s string) json.RawMessage {
			return json.RawMessage(fmt.Sprintf(`{"%s":%q}`, key, s))
		}}
	}
}

// TestStuckClient: 100 MB of events and some responses while the client reads
// nothing cost a bounded amount of memory; once it reads again, every event
// comes, in order, and no response before the events it stands behind (O8,
// rulings 21, 97).
func TestStuckClient(t *testing.T) {
	const (
		size   = 1000
		events = 100_000
		every  = 20_000 // a response after so many events
	)
	pad := strings.Repeat("x", size-60)
	line := func(seq int64) []byte { return fmt.Appendf(nil, `{"sessionId":"0001","seq":%d,"p":"%s"}`, seq, pad) }
	w := newTap(false)
	told := &reports{}
	o := box(w, madeLog{line}, told)
	o.notify("first", nil)
	w.stuck()

	before := heap()
	for seq := int64(1); seq <= events; seq++ {
		o.event(event{"0001", "", seq, line(seq)})
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
	if next != events+1 || len(got) != events+events/every {
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
// after (ruling 97, O5).
func TestRanges(t *testing.T) {
	w, log, told := newTap(false), &fakeLog{}, &reports{}
	o := box(w, log, told)
	o.notify("first", nil)
	w.stuck()
	overBudget(o)
	put := func(session, stream string, order int64, payload string) {
		o.event(log.add(session, stream, order, payload))
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
	w, log, told := newTap(false), &fakeLog{}, &reports{}
	o := box(w, log, told)
	o.notify("first", nil)
	w.stuck()
	overBudget(o)
	o.event(log.add("1", "", 1, `{"seq":1}`))
	underBudget(o)
	o.delta(textOf("1", "m")("hello"))
	o.output(textOf("1", "out")("four"))
	o.latest("1", "r", eventMethod, json.RawMessage(`{"state":1}`))
	o.delta(textOf("2", "m")("other session"))
	overBudget(o)
	o.event(log.add("1", "", 2, `{"seq":2}`))
	o.delta(textOf("1", "m")("dropped"))
	underBudget(o)
	want(t, finish(t, o, w), `{"jsonrpc":"2.0","method":"first"}`, `{"seq":1}`, `{"seq":2}`, `{"m":"other session"}`,
		string(gapJSON("1", 1, 5+4+7)))
}

// TestLogUnreadable: events that cannot be read again are told as a gap, and
// what stands behind them comes.
func TestLogUnreadable(t *testing.T) {
	w, log, told := newTap(false), &fakeLog{}, &reports{}
	o := box(w, log, told)
	o.notify("first", nil)
	w.stuck()
	overBudget(o)
	o.event(log.add("1", "", 1, `{"seq":1}`))
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
	o.replay("1", "", 1, 3)
	o.replay("1", "", 3, 3)
	o.respond(json.RawMessage(`{"resumed":1}`))
	want(t, finish(t, o, w), `{"before":1}`, `{"seq":2}`, `{"seq":3}`, `{"resumed":1}`)
}

// TestDeltas: queued text of one key is joined while nothing of its stream
// stands behind it, and the joined text is the whole text (O7).
func TestDeltas(t *testing.T) {
	w, told := newTap(false), &reports{}
	o := box(w, nil, told)
	o.notify("first", nil)
	w.stuck()
	m, r := textOf("1", "m"), textOf("1", "r")
	child := func(s string) textPart { p := textOf("1", "c")(s); p.stream = "a"; return p }
	o.delta(m("a"))
	o.delta(child("x")) // another stream stands in nobody's way
	o.delta(m("b"))
	o.delta(child("y"))
	o.delta(r("c")) // another text of the same stream does
	o.delta(m("d"))
	o.event(event{"1", "", 1, json.RawMessage(`{"seq":1}`)})
	o.delta(m("e"))
	o.respond(json.RawMessage(`{"answer":1}`))
	o.delta(m("f")) // behind the answer of somebody else
	long := strings.Repeat("z", joinedBytes)
	o.delta(m(long))
	want(t, finish(t, o, w), `{"jsonrpc":"2.0","method":"first"}`,
		`{"m":"ab"}`, `{"c":"xy"}`, `{"r":"c"}`, `{"m":"d"}`, `{"seq":1}`, `{"m":"ef"}`, `{"answer":1}`, `{"m":"`+long+`"}`)
}

// TestPace: fast deltas are sent about 30 times a second, the first at once, the
// last in time, and an event never waits for them or overtakes them.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, told := newTap(true), &reports{}
		o := box(w, nil, told)
		written := func() int { synctest.Wait(); return len(bodies(t, w.read())) }
		m := textOf("1", "m")
		o.delta(m("0"))
		if n := written(); n != 1 {
			t.Fatalf("the first delta waits: %d frames", n)
		}
		start := time.Now()
		for range 1000 { // one second, a delta a millisecond
			<-time.After(time.Millisecond)
			o.delta(m("x"))
		}
		if n := written(); n < 29 || n > 33 {
			t.Errorf("%d frames in %v", n, time.Since(start))
		}
		o.delta(m("y"))
		before := written()
		o.event(event{"1", "", 1, json.RawMessage(`{"seq":1}`)})
		if n := written(); n != before+2 {
			t.Errorf("%d frames after the event, want the held text and the event", n-before)
		}
		o.delta(m("z"))
		before = written()
		<-time.After(textInterval)
		if n := written(); n != before+1 {
			t.Errorf("the last delta did not come by itself")
		}
		o.delta(m("end"))
		var all strings.Builder
		for _, s := range finish(t, o, w) {
			var p struct{ M string }
			json.Unmarshal([]byte(s), &p)
			all.WriteString(p.M)
		}
		if want := "0" + strings.Repeat("x", 1000) + "yzend"; all.String() != want {
			t.Errorf("joined text is %q", all.String())
		}
		if len(o.sessions) != 0 || o.bytes != 0 {
			t.Errorf("left behind: %d sessions, %d bytes", len(o.sessions), o.bytes)
		}
	})
}

// TestOutput: a call's output keeps its last 64 KiB, and one gap says how much
// is missing.
func TestOutput(t *testing.T) {
	w, told := newTap(false), &reports{}
	o := box(w, nil, told)
	o.notify("first", nil)
	w.stuck()
	out := textOf("1", "out")
	var all strings.Builder
	for i := range 40_000 {
		part := fmt.Sprintf("line %d é\n", i)
		all.WriteString(part)
		o.output(out(part))
		o.output(textOf("1", "err")("e"))
	}
	if o.bytes > 1<<20 {
		t.Errorf("%d bytes are queued", o.bytes)
	}
	got := finish(t, o, w)
	if len(got) != 4 {
		t.Fatalf("%d messages: %.300q", len(got), got)
	}
	var p struct{ Out string }
	if err := json.Unmarshal([]byte(got[2]), &p); err != nil {
		t.Fatal(err)
	}
	if len(p.Out) > outputTail || len(p.Out) < outputTail-4 || !strings.HasSuffix(all.String(), p.Out) {
		t.Errorf("%d bytes of tail", len(p.Out))
	}
	want(t, got[1:2], string(gapJSON("1", 1, int64(all.Len()-len(p.Out)))))
}

// TestLatest: the newest value stands in the place of the oldest, and never
// crosses the frames around it.
func TestLatest(t *testing.T) {
	w, told := newTap(false), &reports{}
	o := box(w, nil, told)
	o.notify("first", nil)
	w.stuck()
	report := func(token string, n int) {
		o.latest("", token, "$/progress", json.RawMessage(fmt.Sprintf(`{"%s":%d}`, token, n)))
	}
	o.notify("begin", nil)
	report("a", 1)
	report("b", 1)
	for n := range 1000 {
		report("a", n)
	}
	o.notify("end", nil)
	report("b", 2)
	want(t, finish(t, o, w), `{"jsonrpc":"2.0","method":"first"}`, `{"jsonrpc":"2.0","method":"begin"}`,
		`{"jsonrpc":"2.0","method":"$/progress","params":{"a":999}}`, `{"jsonrpc":"2.0","method":"$/progress","params":{"b":2}}`,
		`{"jsonrpc":"2.0","method":"end"}`)
}

// TestSlots: everything behind a reserved place waits for it, and nothing else
// does (O2).
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, told := newTap(true), &reports{}
		o := box(w, nil, told)
		o.respond(json.RawMessage(`{"n":1}`))
		place, unused := o.reserve(), o.reserve()
		o.event(event{"1", "", 1, json.RawMessage(`{"seq":1}`)})
		synctest.Wait()
		if n := len(bodies(t, w.read())); n != 1 {
			t.Errorf("%d frames before the place is filled", n)
		}
		place.fill(json.RawMessage(`{"n":2}`))
		place.fill(json.RawMessage(`{"n":"again"}`))
		unused.release()
		unused.fill(json.RawMessage(`{"n":"late"}`))
		synctest.Wait()
		if n := len(bodies(t, w.read())); n != 3 {
			t.Errorf("%d frames after the place is filled", n)
		}
		o.reserve() // abandoned: the end does not wait for it
		o.respond(json.RawMessage(`{"n":3}`))
		want(t, finish(t, o, w), `{"n":1}`, `{"n":2}`, `{"seq":1}`, `{"n":3}`)
	})
}

// TestSlotStopsRanges: an event that only the log holds never joins a range in
// front of a reserved place.
func TestSlotStopsRanges(t *testing.T) {
	w, log, told := newTap(false), &fakeLog{}, &reports{}
	o := box(w, log, told)
	o.notify("first", nil)
	w.stuck()
	overBudget(o)
	o.event(log.add("1", "", 1, `{"seq":1}`))
	place := o.reserve()
	o.event(log.add("1", "", 2, `{"seq":2}`))
	place.fill(json.RawMessage(`{"n":1}`))
	underBudget(o)
	want(t, finish(t, o, w), `{"jsonrpc":"2.0","method":"first"}`, `{"seq":1}`, `{"n":1}`, `{"seq":2}`)
}

// TestHold: before initialized responses go and everything of ours waits
// (ruling 4).
func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, told := newTap(true), &reports{}
		o := newOutbox(w, outboxConfig{gap: gapJSON, report: told.add})
		o.notify("ours", nil)
		o.request(json.RawMessage(`{"ask":1}`))
		o.event(event{"1", "", 1, json.RawMessage(`{"seq":1}`)})
		o.respond(json.RawMessage(`{"n":1}`))
		synctest.Wait()
		if got := bodies(t, w.read()); !slices.Equal(got, []string{`{"n":1}`}) {
			t.Errorf("during the hold: %q", got)
		}
		o.open()
		want(t, finish(t, o, w), `{"n":1}`, `{"jsonrpc":"2.0","method":"ours"}`, `{"ask":1}`, `{"seq":1}`)
	})
}

// TestRoom: only responses and requests stop the reader, and only while they
// wait; closing frees it.
func TestRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, told := newTap(false), &reports{}
		o := box(w, nil, told)
		o.notify("first", nil)
		synctest.Wait()
		o.notify("large", json.RawMessage(`"`+strings.Repeat("x", outboxBudget)+`"`))
		o.waitRoom() // notifications do not count
		o.respond(json.RawMessage(`"` + strings.Repeat("x", answersBudget) + `"`))
		free := false
		go func() { o.waitRoom(); free = true }()
		synctest.Wait()
		if free {
			t.Error("the reader goes on over 32 MiB of responses")
		}
		w.set(true)
		synctest.Wait()
		if !free {
			t.Error("the reader waits though everything is written")
		}
		finish(t, o, w)
	})
}

// TestBrokenPipe: a client that is gone ends the writer, frees the reader and
// costs nothing more.
func TestBrokenPipe(t *testing.T) {
	w, told := newTap(true), &reports{}
	w.err = errors.New("broken pipe")
	o := box(w, nil, told)
	o.respond(json.RawMessage(`{}`))
	<-o.done
	for range 1000 {
		o.event(event{"1", "", 1, json.RawMessage(`{}`)})
		o.respond(json.RawMessage(`{}`))
		o.reserve().fill(json.RawMessage(`{}`))
		o.delta(textOf("1", "m")("x"))
	}
	o.waitRoom()
	if o.bytes != 0 || !strings.Contains(told.String(), "broken pipe") {
		t.Errorf("%d bytes queued, reported %q", o.bytes, told)
	}
}

// TestConcurrentWriters is for the race detector.
func TestConcurrentWriters(t *testing.T) {
	w, log, told := newTap(true), &fakeLog{}, &reports{}
	o := box(w, log, told)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			session := fmt.Sprint(g % 3)
			for i := range 300 {
				switch i % 6 {
				case 0:
					o.event(event{session, "", int64(i), json.RawMessage(`{}`)})
				case 1:
					o.delta(textOf(session, "m")("x"))
				case 2:
					o.output(textOf(session, "o")("x"))
				case 3:
					o.latest(session, "k", eventMethod, json.RawMessage(`{}`))
				case 4:
					o.reserve().fill(json.RawMessage(`{}`))
				case 5:
					o.note(session, "", 1, json.RawMessage(`{}`))
				}
			}
		})
	}
	all.Wait()
	finish(t, o, w)
	if o.bytes != 0 || o.answers != 0 || len(o.sessions) != 0 || len(o.held) != 0 {
		t.Errorf("left behind: %d bytes, %d of answers, %d sessions, %d held", o.bytes, o.answers, len(o.sessions), len(o.held))
	}
}

func BenchmarkOutboxEvents(b *testing.B) {
	payload := json.RawMessage(`{"sessionId":"0001","seq":1,"time":"2026-01-01T00:00:00.000Z","type":"tool.returned","data":{"text":"` + strings.Repeat("x", 200) + `"}}`)
	o := newOutbox(discard{}, outboxConfig{log: madeLog{func(int64) []byte { return payload }}, gap: gapJSON})
	o.open()
	b.SetBytes(int64(len(payload)))
	for i := range b.N {
		o.event(event{"0001", "", int64(i), payload})
		if i%1024 == 0 {
			runtime.Gosched()
		}
	}
	o.close(true)
	<-o.done
}

func BenchmarkOutboxDeltas(b *testing.B) {
	o := newOutbox(discard{}, outboxConfig{gap: gapJSON})
	o.open()
	part := textOf("0001", "m")("some words ")
	for range b.N {
		o.delta(part)
	}
	o.close(true)
	<-o.done
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
