package textedit

import "strings"

// LineEnd is the kind of line end that most lines of text have.
func LineEnd(text string) string {
	crlf := strings.Count(text, "\r\n")
	if crlf > 0 && crlf*2 > strings.Count(text, "\n") {
		return "\r\n"
	}
	return "\n"
}

// WithLineEnd writes text with one kind of line end.
func WithLineEnd(text, eol string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if eol != "\n" {
		text = strings.ReplaceAll(text, "\n", eol)
	}
	return text
}
