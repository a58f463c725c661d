package explore

import (
	"context"
	"strings"
)

// unverified marks a citation that does not hold.
const unverified = " [unverified]"

// check looks up every place that text cites: the file is there, the line is
// there and, where words are quoted behind it, they are there. What does not
// hold is marked, and both kinds are counted. What could not be looked up,
// because there is too much of it or ctx has ended, does not hold.
func check(ctx context.Context, in sources, text string) (checked string, ok, bad int) {
	found := citations(text)
	lookUp(ctx, in, found)
	var out strings.Builder
	at := 0
	for _, c := range found {
		switch {
		case !c.counts:
			continue
		case c.holds:
			ok++
			continue
		}
		bad++
		if !strings.HasPrefix(text[c.end:], unverified) {
			out.WriteString(text[at:c.end])
			out.WriteString(unverified)
			at = c.end
		}
	}
	out.WriteString(text[at:])
	return out.String(), ok, bad
}
