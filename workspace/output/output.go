// Package output takes what a program writes and makes of it what people and
// models see: clean text, live pieces, a bounded result, the whole in a file.
// It starts nothing.
package output

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"sync"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// What an output keeps, in bytes. A preview shows 30 % head and 70 % tail of a
// command, 80 % and 20 % of anything else: either part is enough for both.
const (
	shownBytes = 51_200 // up to here and shownLines all of it is the result
	shownLines = 2_000
	HeadBytes  = 40 << 10
	TailBytes  = 40 << 10
	FileBytes  = 100 << 20 // cap of the artifact
)

// Output takes what a command writes. Up to the size of a result it is kept in
// memory, beyond that it goes straight to an artifact and only a head and a
// tail stay. The zero output needs a sink. It is safe for concurrent use: what a
// job writes is read while it writes.
type Output struct {
	sink tool.Sink
	live live

	mu    sync.Mutex    // guards everything below
	news  chan struct{} // closed with the next write; nil when nobody waits
	over  bool          // Finish was called
	clean Cleaner
	sum   hash.Hash
	bytes int64
	chars int64
	lines int64 // newlines
	last  byte

	whole []byte // all of it, until it is too large
	big   bool   // it is, and whole is empty
	head  []byte // the first HeadBytes, however reads cut the output
	tail  []byte // at least the last TailBytes

	file    tool.Spill // nil: nothing can be kept
	written int64
	capped  bool
	trouble error // why the file is not whole
}

// New is an output that shows itself live through sink, and spills into it.
func New(sink tool.Sink) *Output {
	return &Output{sink: sink, live: live{sink: sink}, sum: sha256.New()}
}

// Write takes the next bytes of the command. It never fails: whatever happens
// to the artifact, the command goes on.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before := len(o.clean.Text)
	o.clean.Write(p)
	if o.clean.low < before {
		o.live.add("\n") // the line is drawn again
	}
	o.live.add(string(LastPart(o.clean.Text[o.clean.low:], LiveBytes)))
	o.take(o.clean.ready())
	o.clean.drop()
	o.tell()
	return len(p), nil
}

// take counts and keeps clean text.
func (o *Output) take(text []byte) {
	if len(text) == 0 {
		return
	}
	o.bytes += int64(len(text))
	o.lines += int64(bytes.Count(text, []byte{'\n'}))
	o.last = text[len(text)-1]
	if o.clean.wide {
		o.chars += int64(characters(text))
	} else {
		o.chars += int64(len(text))
	}
	o.sum.Write(text)
	if o.big {
		o.spill(text)
		return
	}
	o.whole = append(o.whole, text...)
	if o.bytes > shownBytes || o.lineCount() > shownLines {
		o.grow()
	}
}

// Ending is the last of what was kept, at most 8 KiB.
func (o *Output) Ending() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	kept := o.whole
	if o.big {
		kept = o.tail
	}
	return append(bytes.Clone(LastPart(kept, LiveBytes)), o.clean.Text...)
}

// lineCount counts a last line without a newline too.
func (o *Output) lineCount() int64 {
	if o.bytes > 0 && o.last != '\n' {
		return o.lines + 1
	}
	return o.lines
}

// grow moves from memory to an artifact.
func (o *Output) grow() {
	o.big = true
	if o.file, o.trouble = o.sink.Spill("text/plain"); o.trouble != nil {
		o.file = nil
	}
	whole := o.whole
	o.whole = nil
	o.spill(whole)
}

func (o *Output) spill(text []byte) {
	if room := HeadBytes - len(o.head); room > 0 {
		o.head = append(o.head, text[:min(room, len(text))]...)
	}
	if part := LastPart(text, TailBytes); len(part) == TailBytes {
		o.tail = append(o.tail[:0], part...)
	} else {
		if len(o.tail)+len(part) > 2*TailBytes {
			o.tail = o.tail[:copy(o.tail, LastPart(o.tail, TailBytes))]
		}
		o.tail = append(o.tail, part...)
	}
	if o.file == nil || o.capped || o.trouble != nil {
		return
	}
	if room := FileBytes - o.written; int64(len(text)) > room {
		o.capped = true
		text = text[:runeStart(text, int(room))]
	}
	n, err := o.file.Write(text)
	o.written += int64(n)
	o.trouble = err
}

// Finish makes the result once no Write can come any more. note is what else
// there is to say; it goes behind the text.
func (o *Output) Finish(note string) tool.Result {
	o.live.close()
	o.mu.Lock()
	defer o.mu.Unlock()
	defer o.tell()
	o.clean.Close()
	o.clean.line = len(o.clean.Text)
	o.take(o.clean.Text)
	o.clean.drop()
	o.over = true
	if !o.big {
		text := string(o.whole)
		if note != "" && text != "" && o.last != '\n' {
			text += "\n"
		}
		text += note
		if len(text) <= shownBytes && resultLines(text) <= shownLines {
			return tool.Result{Text: text}
		}
		o.grow() // the note is what makes it too large
	}
	return tool.Result{Spilled: o.spilled(note)}
}

func resultLines(text string) int {
	n := bytes.Count([]byte(text), []byte{'\n'})
	if text != "" && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

func (o *Output) spilled(note string) *tool.Spilled {
	s := &tool.Spilled{
		Bytes: o.bytes, Chars: o.chars, Lines: o.lineCount(),
		SHA256: hex.EncodeToString(o.sum.Sum(nil)),
		Capped: o.capped,
	}
	if o.file != nil {
		ref, path, err := o.file.Close()
		if err == nil {
			s.Artifact, s.FullPath = &ref, path
		} else if o.trouble == nil {
			o.trouble = err
		}
	}
	s.Text, s.Head, s.Tail = o.preview()
	switch {
	case o.trouble != nil && s.Artifact != nil:
		s.Capped = true
		note = JoinNotes(note, fmt.Sprintf("(the saved output ends after %d bytes: %v)", o.written, o.trouble))
	case o.trouble != nil:
		note = JoinNotes(note, fmt.Sprintf("(the output could not be saved: %v)", o.trouble))
	case o.capped:
		note = JoinNotes(note, fmt.Sprintf("(the saved output ends after %d MiB)", FileBytes>>20))
	}
	s.Note = note
	if s.Artifact != nil {
		s.Artifact.Capped = s.Capped
	}
	return s
}

// preview is all of the output where head and tail meet: what is shown of it is
// then chosen from the whole. Else it is head and tail, cut at lines where that
// costs less than half.
func (o *Output) preview() (whole, head, tail string) {
	h, t := o.head, LastPart(o.tail, TailBytes)
	if both := int64(len(h) + len(t)); both >= o.bytes {
		return string(h) + string(t[both-o.bytes:]), "", ""
	}
	if i := bytes.LastIndexByte(h, '\n') + 1; i > len(h)/2 {
		h = h[:i]
	} else {
		h = h[:runeStart(h, len(h))]
	}
	if i := bytes.IndexByte(t, '\n') + 1; i > 0 && i < len(t)/2 {
		t = t[i:]
	} else {
		for len(t) > 0 && !utf8.RuneStart(t[0]) {
			t = t[1:]
		}
	}
	return "", string(h), string(t)
}

// LastPart is the end of p, n bytes at most.
func LastPart(p []byte, n int) []byte { return p[max(0, len(p)-n):] }

// runeStart is the largest n ≤ at for which p[:n] ends with a whole character.
func runeStart(p []byte, at int) int {
	if at < len(p) {
		for at > 0 && !utf8.RuneStart(p[at]) {
			at--
		}
		return at
	}
	for i := 1; i <= min(utf8.UTFMax, at); i++ {
		if utf8.RuneStart(p[at-i]) {
			if !utf8.FullRune(p[at-i : at]) {
				return at - i
			}
			break
		}
	}
	return at
}

// JoinNotes puts two remarks under each other; either may be empty.
func JoinNotes(note, more string) string {
	if note == "" || more == "" {
		return note + more
	}
	return note + "\n" + more
}

// Empty tells whether nothing was written; it is asked before finish.
func (o *Output) Empty() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bytes == 0 && len(o.clean.Text) == 0
}
