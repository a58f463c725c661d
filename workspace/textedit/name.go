package textedit

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names are where a name is in a text as a word of its own, by the bytes where it begins.
// line, from 1, looks at that line only; 0 looks at all of them, and gives the first on
// each line. Of a qualified name such as a.B or A::b, which need not be written so, it is
// the last part.
func Names(text, name string, line int) []int {
	last := name[lastPart(name):]
	if found := namesIn(text, name, line); len(found) > 0 || last == name {
		for i := range found {
			found[i] += len(name) - len(last)
		}
		return found
	}
	return namesIn(text, last, line)
}

// lastPart is where the last part of a qualified name begins.
func lastPart(name string) int {
	at := 0
	for i, r := range name {
		if !isNameRune(r) && i+utf8.RuneLen(r) < len(name) {
			at = i + utf8.RuneLen(r)
		}
	}
	return at
}

// IsName says whether a text is one name, with no qualifier.
func IsName(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return text != "" && !unicode.IsDigit(first) && strings.IndexFunc(text, func(r rune) bool { return !isNameRune(r) }) < 0
}

func isNameRune(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

func namesIn(text, name string, line int) []int {
	if name == "" {
		return nil
	}
	var found []int
	at, no := 0, 0
	for one := range strings.Lines(text) {
		if no++; line == 0 || line == no {
			if in := wordIn(one, name); in >= 0 {
				found = append(found, at+in)
			}
		}
		at += len(one)
	}
	return found
}

// wordIn is where a word is in a line, -1 for nowhere.
func wordIn(line, word string) int {
	for from := 0; ; {
		i := strings.Index(line[from:], word)
		if i < 0 {
			return -1
		}
		at := from + i
		before, _ := utf8.DecodeLastRuneInString(line[:at])
		after, _ := utf8.DecodeRuneInString(line[at+len(word):])
		if (at == 0 || !isNameRune(before)) && (at+len(word) == len(line) || !isNameRune(after)) {
			return at
		}
		from = at + len(word)
	}
}
