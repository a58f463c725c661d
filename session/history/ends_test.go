package history

import (
	"context"
	"errors"
	"testing"
)

// ending is a context that ends when it has been asked for the nth time whether it has.
type ending struct {
	context.Context
	after int
}

func (e *ending) Err() error {
	if e.after--; e.after >= 0 {
		return nil
	}
	return context.Canceled
}

// A log of gigabytes of which types leave everything out, or in which an undo looks for
// changes, is read until its reader has enough of it. What was seen by then is not read
// again.
func TestReadingEnds(t *testing.T) {
	dir := long(t, 20, func(int, int64) Body { return nil })
	within := func(n int) context.Context { return &ending{t.Context(), n} }
	q := PageQuery{Types: []string{"file.changed"}}
	for what, read := range map[string]func() error{
		"the first look":   func() error { _, err := NewReader(dir).Tail(within(10)); return err },
		"the page":         func() error { _, err := NewReader(dir).Page(within(150), q, Origin{}, nil); return err },
		"the events":       func() error { return NewReader(dir).Each(within(150), 1, func(Event) error { return nil }) },
		"the changes":      func() error { _, err := Deeds(within(10), dir, 1000); return err },
		"the page of ours": func() error { _, err := Read(dir).Page(within(10), q, Origin{}, 1000, nil); return err },
	} {
		if err := read(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
	r := NewReader(dir)
	for n := range 2 {
		if _, err := r.Tail(within(10)); !errors.Is(err, context.Canceled) || r.log.lines.count != int64(11*(n+1)) {
			t.Errorf("%d lines were seen: %v", r.log.lines.count, err)
		}
	}
	page, err := r.Page(t.Context(), PageQuery{}, Origin{}, nil)
	if err != nil || len(page.Events) == 0 || page.TailSeq != 101 {
		t.Errorf("%d events of %d: %v", len(page.Events), page.TailSeq, err)
	}
}
