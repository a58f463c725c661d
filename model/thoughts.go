package model

import "strings"

// thoughts tells apart what a model thinks and what it says where both come as one text:
// servers that do not know a model's tags leave them in. Only what a text begins with is a
// thought: further on, tags may be quoted.
type thoughts struct {
	phase phase
	close string // the tag that ends the thought
	held  string // what comes next decides what it is
	begun bool   // there are words of the thought
	some  bool   // there was a thought before
}

// blanks stand around a thought and belong to nothing.
const blanks = " \t\r\n"

// maxHeld is how much of a text waits for what comes next, in bytes.
const maxHeld = 4 << 10

type phase int

const (
	undecided phase = iota // nothing but blanks came
	inThought
	inText
)

// thoughtTags are how a thought begins and ends.
var thoughtTags = map[string]string{"<think>": "</think>", "<thinking>": "</thinking>"}

// next takes a piece of the text and gives what is known now to be thought, and to be said.
func (t *thoughts) next(piece string) (thought, said string) {
	if t.phase == inText {
		return "", piece
	}
	rest := t.held + piece
	t.held = ""
	for rest != "" {
		switch t.phase {
		case inText:
			return thought, said + rest
		case undecided:
			rest = t.begin(rest)
		case inThought:
			var more string
			more, rest = t.within(rest)
			thought += more
		}
	}
	return thought, said
}

// begin decides what a text begins with, and gives what of it is left.
func (t *thoughts) begin(text string) (rest string) {
	words := strings.TrimLeft(text, blanks)
	for open, end := range thoughtTags {
		if rest, is := strings.CutPrefix(words, open); is {
			t.phase, t.close, t.begun = inThought, end, false
			return rest
		}
	}
	for open := range thoughtTags {
		if strings.HasPrefix(open, words) && len(text) < maxHeld { // also nothing but blanks
			t.held = text
			return ""
		}
	}
	t.phase = inText
	if t.some {
		return words
	}
	return text
}

// within gives what of a text belongs to the thought, and what is behind its end.
func (t *thoughts) within(text string) (thought, rest string) {
	if !t.begun {
		text = strings.TrimLeft(text, blanks)
	}
	if before, behind, ended := strings.Cut(text, t.close); ended {
		t.phase, t.some = undecided, true
		return strings.TrimRight(before, blanks), behind
	}
	keep := 0
	for n := min(len(text), len(t.close)-1); n > 0 && keep == 0; n-- {
		if strings.HasSuffix(text, t.close[:n]) {
			keep = n
		}
	}
	end := len(strings.TrimRight(text[:len(text)-keep], blanks))
	if len(text)-end > maxHeld {
		end = len(text) - keep
	}
	t.begun = t.begun || end > 0
	t.held = text[end:]
	return text[:end], ""
}

// rest is what was held back, once nothing comes any more.
func (t *thoughts) rest() (thought, said string) {
	held := t.held
	t.held = ""
	switch {
	case t.phase == inThought:
		return strings.TrimRight(held, blanks), ""
	case t.some:
		return "", strings.TrimLeft(held, blanks)
	}
	return "", held
}

// withoutThought is what a whole text says.
func withoutThought(text string) string {
	if !strings.HasPrefix(strings.TrimLeft(text, blanks), "<think") {
		return text
	}
	var t thoughts
	_, said := t.next(text)
	_, rest := t.rest()
	return said + rest
}
