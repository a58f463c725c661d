package surface

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Typed is the name that a person is typing in a prompt that is in a file.
type Typed struct {
	Text       string // of the document
	Start, End int    // of the name with its sign, in bytes of Text
	Sign       byte   // '/' of a command, '@' of a file
}

// Name is what is typed of it so far, without the sign.
func (t Typed) Name() string { return t.Text[t.Start+1 : t.End] }

// Typing is the name in front of a place of a document, which offset finds in its text:
// a command at the beginning of a prompt, a file in all of it. found is false where no
// prompt is being written.
func (m *Menu) Typing(uri string, offset func(text string) int) (t Typed, found bool) {
	text := m.fileText(uri)
	end := offset(text)
	before := text[:end]
	word := strings.TrimRightFunc(before, func(r rune) bool { return !unicode.IsSpace(r) })
	t = Typed{Text: text, Start: len(word), End: end}
	prompt, within := promptBefore(uri, text, word)
	if !within || t.Start == t.End {
		return t, false
	}
	t.Sign = text[t.Start]
	return t, t.Sign == '@' || t.Sign == '/' && strings.TrimSpace(prompt) == ""
}

// promptBefore is what a prompt says up to the end of before, which is where a word begins.
func promptBefore(uri, text, before string) (prompt string, within bool) {
	if isPromptFile(uri, text) {
		return before, true
	}
	line := before[strings.LastIndexByte(before, '\n')+1:]
	if !endsInSpace(line) {
		return "", false
	}
	const any = "x" // of a line that ends behind the mention nothing is behind it
	prompt = behindMention(line + any)
	return strings.TrimSuffix(prompt, any), prompt != ""
}

func endsInSpace(s string) bool {
	last, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsSpace(last)
}
