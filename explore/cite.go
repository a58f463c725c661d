package explore

import (
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/lazy"
)

// citation matches path:line and path:line-line; what precedes and follows it is
// looked at in findCitations.
var citation = lazy.Regexp("([\\p{L}\\p{N}_@+~./\\\\()\\[\\]{}$-]*[\\p{L}\\p{N}_)\\]}]):([0-9]{1,7})(?:-([0-9]{1,7}))?")

// quote matches the words that stand behind a citation: `…`, "…" or “…”.
var quote = lazy.Regexp("^`?\\)?[\\s:,(–—-]*(?:`([^`]{3,400})`|\"([^\"]{3,400})\"|“([^”]{3,400})”)")

// unverified marks a citation that does not hold.
const unverified = " [unverified]"

// Check looks up every place that text cites: the file is there, the line is
// there and, where words are quoted behind it, they stand there. What does not
// hold is marked, and both kinds are counted.
func Check(source Source, text string) (checked string, ok, bad int) {
	var out strings.Builder
	for _, line := range strings.SplitAfter(text, "\n") {
		at := 0
		for _, c := range findCitations(line) {
			out.WriteString(line[at:c.end])
			at = c.end
			if holds(source, c) {
				ok++
				continue
			}
			bad++
			if !strings.HasPrefix(line[at:], unverified) {
				// Behind a closing backquote, so that the mark is not code.
				if strings.HasPrefix(line[at:], "`") {
					out.WriteString("`")
					at++
				}
				out.WriteString(unverified)
			}
		}
		out.WriteString(line[at:])
	}
	return out.String(), ok, bad
}

type cited struct {
	path        string
	first, last int
	quoted      string
	end         int // of the citation in its line
}

func findCitations(line string) []cited {
	var found []cited
	for _, m := range citation().FindAllStringSubmatchIndex(line, -1) {
		path := strings.TrimLeft(line[m[2]:m[3]], "([{")
		if !looksLikeFile(path, line[:m[2]], line[m[1]:]) {
			continue
		}
		c := cited{path: path, end: m[1]}
		c.first, _ = strconv.Atoi(line[m[4]:m[5]])
		c.last = c.first
		if m[6] >= 0 {
			c.last, _ = strconv.Atoi(line[m[6]:m[7]])
		}
		if q := quote().FindStringSubmatch(line[c.end:]); q != nil {
			c.quoted = q[1] + q[2] + q[3]
		}
		found = append(found, c)
	}
	return found
}

// looksLikeFile keeps apart a citation from an address with a port and from a
// time of day.
func looksLikeFile(path, before, after string) bool {
	switch {
	case strings.HasSuffix(before, "://"), strings.HasPrefix(path, "//"), strings.HasPrefix(after, "/"):
		return false
	case strings.HasPrefix(after, ":") && strings.Trim(path, "0123456789") == "":
		return false
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	dot := strings.LastIndexByte(name, '.')
	hasExtension := dot >= 0 && dot < len(name)-1 && strings.Trim(name[dot+1:], "0123456789") != ""
	return hasExtension || strings.Contains(path, "/") || name == "Makefile" || name == "Dockerfile" || name == "LICENSE"
}

// holds says whether the cited lines exist and the quoted words are among them.
func holds(source Source, c cited) bool {
	if c.first < 1 || c.last < c.first || c.last-c.first > 10_000 {
		return false
	}
	if _, err := source.CitedLine(c.path, c.last); err != nil {
		return false
	}
	if c.quoted == "" {
		return true
	}
	want := folded(c.quoted)
	var have strings.Builder
	for n := c.first; n <= min(c.last, c.first+200); n++ {
		line, err := source.CitedLine(c.path, n)
		if err != nil {
			return false
		}
		have.WriteString(line)
		have.WriteByte(' ')
	}
	return strings.Contains(folded(have.String()), want)
}

// folded is text with its blanks run together: how it was indented says nothing
// about whether it is there.
func folded(s string) string { return strings.Join(strings.Fields(s), " ") }
