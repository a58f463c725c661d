package wire

import (
	"strings"
	"testing"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

func TestOffset(t *testing.T) {
	// é is 2 bytes and 1 unit, 😀 4 bytes and 2 units of utf-16.
	const text = "aé😀z\r\nsecond\rthird\n\nlast"
	tests := []struct {
		line, char               uint32
		utf8, utf16, utf32, back int // back: -1 when the utf-16 place does not come back as itself
	}{
		{0, 0, 0, 0, 0, 0},
		{0, 1, 1, 1, 1, 0},
		{0, 2, 1, 3, 3, 0}, // in utf-8 inside é
		{0, 3, 3, 3, 7, -1},
		{0, 4, 3, 7, 8, 0},
		{0, 5, 3, 8, 8, 0},
		{0, 99, 8, 8, 8, -1},
		{1, 0, 10, 10, 10, 0},
		{1, 6, 16, 16, 16, 0},
		{1, 7, 16, 16, 16, -1},
		{2, 0, 17, 17, 17, 0},
		{2, 5, 22, 22, 22, 0},
		{3, 0, 23, 23, 23, 0},
		{3, 4, 23, 23, 23, -1},
		{4, 4, 28, 28, 28, 0},
		{4, 4294967295, 28, 28, 28, -1},
		{5, 0, 28, 28, 28, -1},
		{4294967295, 4294967295, 28, 28, 28, -1},
	}
	for _, test := range tests {
		p := Place{test.line, test.char}
		for e, want := range map[Encoding]int{utf8Units: test.utf8, utf16Units: test.utf16, utf32Units: test.utf32, "": test.utf16} {
			if got := e.offset(text, p); got != want {
				t.Errorf("%s: %v is at %d, want %d", e, p, got, want)
			}
		}
		if back := utf16Units.position(text, test.utf16); test.back == 0 && back != p {
			t.Errorf("offset %d is %v, want %v", test.utf16, back, p)
		}
	}
	// Every boundary of a character comes back, whatever the encoding.
	for _, e := range []Encoding{utf8Units, utf16Units, utf32Units} {
		for i := range text {
			want := i
			if text[i] == '\n' && i > 0 && text[i-1] == '\r' {
				want = i - 1
			}
			if got := e.offset(text, e.position(text, i)); got != want {
				t.Errorf("%s: offset %d came back as %d", e, i, got)
			}
		}
	}
	if got := utf16Units.position(text, -5); got != (Place{}) {
		t.Errorf("a negative offset is %v", got)
	}
	if got := utf16Units.position(text, 999); got != (Place{4, 4}) {
		t.Errorf("an offset behind the end is %v", got)
	}
}

func TestApply(t *testing.T) {
	at := func(sl, sc, el, ec uint32, text string) TextChange {
		return TextChange{start: Place{sl, sc}, end: Place{el, ec}, text: text}
	}
	tests := []struct {
		name    string
		enc     Encoding
		text    string
		changes []TextChange
		want    string
	}{
		{"insert", utf16Units, "one\ntwo", []TextChange{at(1, 0, 1, 0, "x")}, "one\nxtwo"},
		{"replace over lines", utf16Units, "one\r\ntwo\r\nthree", []TextChange{at(0, 1, 2, 2, "-")}, "o-ree"},
		{"behind a surrogate pair", utf16Units, "😀b", []TextChange{at(0, 2, 0, 3, "c")}, "😀c"},
		{"inside a surrogate pair", utf16Units, "😀b", []TextChange{at(0, 1, 0, 2, "")}, "b"},
		{"utf-8", utf8Units, "😀b", []TextChange{at(0, 4, 0, 5, "c")}, "😀c"},
		{"utf-32", utf32Units, "😀b", []TextChange{at(0, 1, 0, 2, "c")}, "😀c"},
		{"one after the other", utf16Units, "ab", []TextChange{at(0, 0, 0, 1, "xyz"), at(0, 3, 0, 4, "!")}, "xyz!"},
		{"whole", utf16Units, "ab", []TextChange{{whole: true, text: "new"}, at(0, 0, 0, 0, "a ")}, "a new"},
		{"behind the end", utf16Units, "ab", []TextChange{at(7, 7, 9, 9, "c")}, "abc"},
		{"end before start", utf16Units, "abc", []TextChange{at(0, 2, 0, 1, "-")}, "a-c"},
		{"line end is not eaten", utf16Units, "a\nb", []TextChange{at(0, 1, 0, 99, "!")}, "a!\nb"},
		{"empty document", utf16Units, "", []TextChange{at(0, 0, 0, 0, "a\n")}, "a\n"},
	}
	for _, test := range tests {
		if got := test.enc.Apply(test.text, test.changes); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestNegotiate(t *testing.T) {
	for offered, want := range map[string]Encoding{
		"": utf16Units, "utf-8,utf-16": utf8Units, "utf-7,utf-32,utf-8": utf32Units, "latin-1": utf16Units, "utf-16,utf-8": utf16Units,
	} {
		if got := Negotiate(strings.Split(offered, ",")); got != want {
			t.Errorf("%q: %s, want %s", offered, got, want)
		}
	}
}

// TestTextChanges: a change without a range is the whole document and never an
// insertion (libraries A2).
func TestTextChanges(t *testing.T) {
	var p protocol.DidChangeTextDocumentParams
	const raw = `{"textDocument":{"uri":"file:///a","version":2},"contentChanges":[{"text":"whole"},{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":5}},"rangeLength":5,"text":"part"}]}`
	if err := decodeParams(lspCodec, []byte(raw), &p); err != nil {
		t.Fatal(err)
	}
	if got := utf16Units.Apply("old", TextChanges(p.ContentChanges)[:1]); got != "whole" {
		t.Errorf("after the whole text: %q", got)
	}
	if got := utf16Units.Apply("old", TextChanges(p.ContentChanges)); got != "part" {
		t.Errorf("after both: %q", got)
	}
}

// FuzzPosition: no place panics or cuts a character.
func FuzzPosition(f *testing.F) {
	f.Add("aé😀\r\nb", uint32(0), uint32(2), uint32(1), uint32(9), "x")
	f.Fuzz(func(t *testing.T, text string, sl, sc, el, ec uint32, with string) {
		for _, e := range []Encoding{utf8Units, utf16Units, utf32Units} {
			got := e.Apply(text, []TextChange{{start: Place{sl, sc}, end: Place{el, ec}, text: with}})
			if utf8.ValidString(text) && utf8.ValidString(with) && !utf8.ValidString(got) {
				t.Errorf("%s: %q is not UTF-8", e, got)
			}
		}
	})
}

// Places of many offsets are those of each of them.
func TestPlaces(t *testing.T) {
	const text = "aé😀z\r\nsecond\rthird\n\nlast"
	for _, e := range []Encoding{utf8Units, utf16Units, utf32Units} {
		var offsets []int
		for i := range text {
			offsets = append(offsets, i, i)
		}
		offsets = append(offsets, len(text), len(text)+9)
		for i, got := range e.Places(text, offsets) {
			if want := e.position(text, offsets[i]); got != want {
				t.Errorf("%s: offset %d is %v, want %v", e, offsets[i], got, want)
			}
		}
	}
	if got := utf16Units.Places("😀\r\nx😀y", []int{4, 11, 12}); got[0] != (Place{0, 2}) || got[1] != (Place{1, 3}) || got[2] != (Place{1, 4}) {
		t.Error(got)
	}
}
