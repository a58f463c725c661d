package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// TestSlots: everything behind a reserved place waits for it, and nothing else
// does (O2).
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, told := newTap(true), &reports{}
		o := box(w, nil, told)
		o.respond(json.RawMessage(`{"n":1}`))
		place, unused := o.reserve(), o.reserve()
		o.Event(Event{"1", "", 1, json.RawMessage(`{"seq":1}`)})
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
	w, log, _, o := fullBox()
	o.Event(log.add("1", "", 1, `{"seq":1}`))
	place := o.reserve()
	o.Event(log.add("1", "", 2, `{"seq":2}`))
	place.fill(json.RawMessage(`{"n":1}`))
	underBudget(o)
	want(t, finish(t, o, w), `{"jsonrpc":"2.0","method":"first"}`, `{"seq":1}`, `{"n":1}`, `{"seq":2}`)
}

// TestHold: before initialized responses go and everything of ours waits.
func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, told := newTap(true), &reports{}
		o := newOutbox(w, outboxConfig{gap: gapJSON, report: told.add})
		o.notify("ours", nil)
		o.request(json.RawMessage(`{"ask":1}`))
		o.Event(Event{"1", "", 1, json.RawMessage(`{"seq":1}`)})
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
		w.forget = true
		o := box(w, nil, told)
		o.notify("first", nil)
		synctest.Wait()
		piece := json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)
		for range outboxBudget / len(piece) {
			o.notify("large", piece)
		}
		o.waitRoom() // notifications do not count
		for range answersBudget/len(piece) + 1 {
			o.respond(piece)
		}
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
		o.close(true)
		<-o.done
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
		o.Event(Event{"1", "", 1, json.RawMessage(`{}`)})
		o.respond(json.RawMessage(`{}`))
		o.reserve().fill(json.RawMessage(`{}`))
		o.Delta(textOf("1", "m")("x"))
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
					o.Event(Event{session, "", int64(i), json.RawMessage(`{}`)})
				case 1:
					o.Delta(textOf(session, "m")("x"))
				case 2:
					o.Output(textOf(session, "o")("x"))
				case 3:
					o.Latest(session, "k", EventMethod, json.RawMessage(`{}`))
				case 4:
					o.reserve().fill(json.RawMessage(`{}`))
				case 5:
					o.Note(session, "", 1, json.RawMessage(`{}`))
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
		o.Event(Event{"0001", "", int64(i), payload})
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
		o.Delta(part)
	}
	o.close(true)
	<-o.done
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
