// Package said is a sentence for people before it has a language: its English words, by
// which other languages find theirs, and what they are about. It knows no other
// language and chooses none.
package said

import (
	"fmt"
	"slices"
	"strings"
)

// Text is a sentence and what it is about. Its English words are its text in JSON, and
// all that comes back from there.
type Text struct {
	// Form is the English sentence, with the verbs of package fmt where there are Args.
	Form string
	// Args are values of Go, or a Text or a List, which is put into words itself.
	Args []any
}

// List is several sentences in a row, or parts of one.
type List []Text

// That is the sentence of a form. The form is a literal, so that a test finds it and can
// look for its translation.
func That(form string, args ...any) Text { return Text{form, args} }

// Plain is words that are in no table, such as those of an error: they are the same in
// every language.
func Plain(words string) Text { return Text{Form: words} }

// IsZero says that nothing is said.
func (t Text) IsZero() bool { return t.Form == "" }

// Same says that two sentences are the same words.
func (t Text) Same(other Text) bool { return t.Form == other.Form && t.String() == other.String() }

// String is the parts in English.
func (l List) String() string { return l.in(func(form string) string { return form }) }

// String is the sentence in English.
func (t Text) String() string { return t.In(func(form string) string { return form }) }

// In is the sentence in the words that forms have in a language.
func (t Text) In(words func(form string) string) string {
	form := words(t.Form)
	if len(t.Args) == 0 {
		return form
	}
	args := slices.Clone(t.Args)
	for i, a := range args {
		switch a := a.(type) {
		case Text:
			args[i] = a.In(words)
		case List:
			args[i] = a.in(words)
		}
	}
	return fmt.Sprintf(form, args...)
}

func (l List) in(words func(form string) string) string {
	var all []string
	for _, t := range l {
		all = append(all, t.In(words))
	}
	return strings.Join(all, words("; "))
}

// MarshalText is the sentence in English.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText takes words as they are.
func (t *Text) UnmarshalText(words []byte) error {
	*t = Plain(string(words))
	return nil
}
