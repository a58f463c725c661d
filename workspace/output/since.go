package output

import (
	"bytes"
	"context"
	"unicode/utf8"
)

// Piece is a part of an output, for anyone who reads while it is written. Offsets are
// bytes of the clean text, from its beginning.
type Piece struct {
	Text string
	// From is where Text begins: behind the offset that was asked for, where what
	// was between is not in memory any more.
	From int64
	Next int64 // where the next piece begins
	End  int64 // how much there is
	// CutBefore and CutAfter say that Text begins, or ends, in the middle of a line. What
	// is there may be half of a secret.
	CutBefore, CutAfter bool
	// Line is the line that is being written. It may still be drawn again, so it is
	// not part of what is counted, and comes as text once it has ended. It is only
	// given with the end.
	Line string
}

// Since is what was written from offset on, most bytes of it. An offset behind the
// end is the end.
func (o *Output) Since(offset int64, most int) Piece {
	o.mu.Lock()
	defer o.mu.Unlock()
	offset = min(max(offset, 0), o.bytes)
	kept, at := o.keptLocked(offset)
	p := Piece{From: max(offset, at), End: o.bytes}
	kept = kept[p.From-at:]
	for len(kept) > 0 && !utf8.RuneStart(kept[0]) { // an offset that nobody was given
		kept, p.From = kept[1:], p.From+1
	}
	if len(kept) > most {
		kept = wholeLines(kept[:runeStart(kept, most)])
	}
	p.Text, p.Next = string(kept), p.From+int64(len(kept))
	p.CutBefore = p.Text != "" && !o.beginsLineLocked(p.From)
	p.CutAfter = p.Text != "" && p.Next < o.bytes && !o.beginsLineLocked(p.Next)
	if p.Next == o.bytes {
		p.Line = string(o.clean.Text)
	}
	return p
}

// keptLocked is what is in memory from offset on, or from behind it, and where that
// begins.
func (o *Output) keptLocked(offset int64) (kept []byte, at int64) {
	switch tail := o.bytes - int64(len(o.tail)); {
	case !o.big:
		return o.whole, 0
	case offset < int64(len(o.head)):
		return o.head[:runeStart(o.head, len(o.head))], 0
	case offset >= tail:
		return o.tail, tail
	default:
		t := o.tail
		if i := bytes.IndexByte(t, '\n') + 1; i > 0 && i < len(t)/2 {
			t = t[i:]
		}
		return t, o.bytes - int64(len(t))
	}
}

// beginsLineLocked says that a line begins at offset, where that is known.
func (o *Output) beginsLineLocked(offset int64) bool {
	before := offset - 1
	switch tail := o.bytes - int64(len(o.tail)); {
	case offset == 0:
		return true
	case !o.big:
		return o.whole[before] == '\n'
	case before < int64(len(o.head)):
		return o.head[before] == '\n'
	case before >= tail:
		return o.tail[before-tail] == '\n'
	}
	return false
}

// wholeLines is p without a last line that is cut, where that costs less than half.
func wholeLines(p []byte) []byte {
	if i := bytes.LastIndexByte(p, '\n') + 1; i > len(p)/2 {
		return p[:i]
	}
	return p
}

// Path is where the whole output lies, as a model may name it; "" while all of it
// is in memory, and where it cannot be kept.
func (o *Output) Path() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if file, ok := o.file.(interface{ Path() string }); ok && o.trouble == nil {
		return file.Path()
	}
	return ""
}

// Await returns when there is more than was up to offset, or another last line than
// line, and where no more will come, which is over; and when ctx ends. waited says
// that it did not return at once.
func (o *Output) Await(ctx context.Context, offset int64, line string) (waited, over bool) {
	for {
		o.mu.Lock()
		if o.over || o.bytes > offset || string(o.clean.Text) != line {
			defer o.mu.Unlock()
			return waited, o.over
		}
		if o.news == nil {
			o.news = make(chan struct{})
		}
		news := o.news
		o.mu.Unlock()
		select {
		case <-news:
			waited = true
		case <-ctx.Done():
			return waited, false
		}
	}
}

// End says that no more will come, whatever became of it.
func (o *Output) End() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.over = true
	o.tell()
}

// tell wakes anyone who waits. The lock is held.
func (o *Output) tell() {
	if o.news != nil {
		close(o.news)
		o.news = nil
	}
}
