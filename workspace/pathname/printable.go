package pathname

import (
	"strconv"
	"unicode/utf8"
)

// Printable shows s with everything that is not visible escaped: a file name
// must not be able to forge a title or a terminal line.
func Printable(s string) string {
	for _, r := range s {
		if !strconv.IsPrint(r) || r == utf8.RuneError {
			return strconv.QuoteToGraphic(s)
		}
	}
	return s
}
