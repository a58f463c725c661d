package history

import (
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// Every line of a log is found, by whoever opened it, was given a view of it or reads it
// while it is written, although only one place in 64 KiB is kept.
func TestEveryLineIsFound(t *testing.T) {
	dir := long(t, 30, func(int, int64) Body { return nil })
	log, state, err := Open(&durable.Disk{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	last := state.Seq
	r := NewReader(dir)
	if tail, err := r.Tail(t.Context()); err != nil || tail != last {
		t.Fatalf("%d lines of %d: %v", tail, last, err)
	}
	for what, l := range map[string]*Log{"opened": log, "a view": log.View(), "only read": Read(dir), "a reader's": &r.log} {
		for from := int64(-1); from <= last+2; from++ {
			var found []int64
			if err := l.Each(from, func(e Event) error { found = append(found, e.Seq); return ErrStop }); err != nil {
				t.Errorf("%s: from %d: %v", what, from, err)
			}
			if want := max(from, 1); want <= last && (len(found) != 1 || found[0] != want) || want > last && len(found) > 0 {
				t.Errorf("%s: from %d there is %v", what, from, found)
			}
		}
		if most := int(log.Bytes()/markEvery) + 1; len(l.lines.marks) > most {
			t.Errorf("%s: %d places are kept of %d bytes", what, len(l.lines.marks), log.Bytes())
		}
	}
}

// A place that is kept of a line goes when the line is taken back.
func TestAPlaceIsTakenBack(t *testing.T) {
	var l lines
	l.add(0)
	l.add(100)
	l.add(100 + markEvery)
	l.drop()
	l.add(100 + markEvery)
	l.add(200 + markEvery)
	if got := l.before(4, 0); got != (mark{3, 100 + markEvery}) || l.count != 4 || len(l.marks) != 2 {
		t.Errorf("%+v in %+v", got, l)
	}
	l.drop()
	if got := l.before(4, 200+markEvery); got != (mark{4, 200 + markEvery}) {
		t.Errorf("%+v", got)
	}
}
