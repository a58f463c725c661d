package output

import (
	"fmt"
	"strconv"
	"strings"
)

// maxTitle is the longest title of a call, in characters; the preview has it all.
const maxTitle = 200

// OneLine is s for a title: one line, nothing invisible, not too long.
func OneLine(s string) string {
	s = Visible(strings.TrimSpace(s))
	s = strings.NewReplacer("\n", " ⏎ ", "\t", " ").Replace(s)
	if r := []rune(s); len(r) > maxTitle {
		return fmt.Sprintf("%s… (%d more characters)", string(r[:maxTitle]), len(r)-maxTitle)
	}
	return s
}

// Visible is s with everything that cannot be seen, or that moves text about,
// written as an escape; only newline and tab stay.
func Visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t' || strconv.IsPrint(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
