package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestDeltas: queued text of one key is joined while nothing of its stream
// stands behind it, and the joined text is the whole text (O7).
func TestDeltas(t *testing.T) {
	w, told := newTap(false), &reports{}
	o := box(w, nil, told)
	o.notify("first", nil)
	w.stuck()
	m, r := textOf("1", "m"), textOf("1", "r")
	child := func(s string) TextPart { p := textOf("1", "c")(s); p.Stream = "a"; return p }
	o.Delta(m("a"))
	o.Delta(child("x")) // another stream stands in nobody's way
	o.Delta(m("b"))
	o.Delta(child("y"))
	o.Delta(r("c")) // another text of the same stream does
	o.Delta(m("d"))
	o.Event(Event{"1", "", 1, json.RawMessage(`{"seq":1}`)})
	o.Delta(m("e"))
	o.respond(json.RawMessage(`{"answer":1}`))
	o.Delta(m("f")) // behind the answer of somebody else
	long := strings.Repeat("z", joinedBytes)
	o.Delta(m(long))
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
		o.Delta(m("0"))
		if n := written(); n != 1 {
			t.Fatalf("the first delta waits: %d frames", n)
		}
		start := time.Now()
		for range 1000 { // one second, a delta a millisecond
			<-time.After(time.Millisecond)
			o.Delta(m("x"))
		}
		if n := written(); n < 29 || n > 33 {
			t.Errorf("%d frames in %v", n, time.Since(start))
		}
		o.Delta(m("y"))
		before := written()
		o.Event(Event{"1", "", 1, json.RawMessage(`{"seq":1}`)})
		if n := written(); n != before+2 {
			t.Errorf("%d frames after the event, want the held text and the event", n-before)
		}
		o.Delta(m("z"))
		before = written()
		<-time.After(textInterval)
		if n := written(); n != before+1 {
			t.Errorf("the last delta did not come by itself")
		}
		o.Delta(m("end"))
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
		o.Output(out(part))
		o.Output(textOf("1", "err")("e"))
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
		o.Latest("", token, "$/progress", json.RawMessage(fmt.Sprintf(`{"%s":%d}`, token, n)))
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
