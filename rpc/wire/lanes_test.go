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

// TestPace: text that comes slowly is sent at once, fast text 125 times a second and
// output 30 times, each part in time and the last one by itself.
func TestPace(t *testing.T) {
	const tick = time.Millisecond
	for _, row := range []struct {
		name   string
		say    func(*outbox, TextPart)
		every  time.Duration // between two parts
		frames int           // of one second, at most
		late   time.Duration // how long a part may wait
	}{
		{"slow text", (*outbox).Delta, 8 * tick, 125, 0},
		{"fast text", (*outbox).Delta, tick, 125, 8 * tick},
		{"slow output", (*outbox).Output, 34 * tick, 30, 0},
		{"fast output", (*outbox).Output, tick, 30, 34 * tick},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, told := newTap(true), &reports{}
				o := box(w, nil, told)
				var given []time.Time
				seen, worst := 0, time.Duration(0)
				look := func() {
					synctest.Wait()
					for n := strings.Count(string(w.read()), "x"); seen < n; seen++ {
						worst = max(worst, time.Since(given[seen]))
					}
				}
				for at := time.Duration(0); at < time.Second+textInterval+tick; at += tick {
					if at < time.Second && at%row.every == 0 {
						given = append(given, time.Now())
						row.say(o, textOf("1", "m")("x"))
					}
					look()
					<-time.After(tick)
				}
				if frames := len(bodies(t, w.read())); seen != len(given) || frames > row.frames+1 || frames < row.frames-4 {
					t.Errorf("%d of %d parts came in %d frames, want about %d", seen, len(given), frames, row.frames)
				}
				if worst > row.late {
					t.Errorf("a part waited %v, want %v at most", worst, row.late)
				}
				finish(t, o, w)
			})
		})
	}
}

// TestHeldText: an event never waits for text that is held, and never overtakes it.
func TestHeldText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, told := newTap(true), &reports{}
		o := box(w, nil, told)
		m := textOf("1", "m")
		o.Delta(m("a"))
		synctest.Wait()
		o.Delta(m("b"))
		o.Delta(m("c"))
		synctest.Wait()
		if n := len(bodies(t, w.read())); n != 1 {
			t.Errorf("%d frames, want the first text alone", n)
		}
		o.Event(Event{"1", "", 1, json.RawMessage(`{"seq":1}`)})
		synctest.Wait()
		if n := len(bodies(t, w.read())); n != 3 {
			t.Errorf("%d frames, want the held text and the event, too", n)
		}
		o.Delta(m("d"))
		want(t, finish(t, o, w), `{"m":"a"}`, `{"m":"bc"}`, `{"seq":1}`, `{"m":"d"}`)
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
