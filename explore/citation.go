package explore

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// citation is one place that a report names.
type citation struct {
	paths    []string // what may be meant, the likeliest first
	fileLike bool     // it reads as a file even where there is none
	lines    []lineRange
	quoted   *quote // nil: nothing is quoted
	end      int    // of the citation in the text, behind what closes it: there the mark goes

	counts bool // it is a citation, and not a time of day or the like
	holds  bool
}

// lineRange is a range of lines from 1, both ends included. One that begins at 0
// cannot be.
type lineRange struct{ first, last int }

// place matches what is behind the path: `:12`, `:12-20`, `:12:5`, `:12,20-22`,
// `#L12-L20`.
var place = lazy.Regexp(`(?::L?|#L)([0-9]+)(?:C[0-9]+)?(?:[-–]L?([0-9]+)(?:C[0-9]+)?)?((?:,L?[0-9]+(?:[-–]L?[0-9]+)?)*)(:[0-9]+(?:-[0-9]+)?)?`)

// citations finds what a text cites, in order. The words of a quotation are not
// searched: that a log names a place is not the explorer's word.
func citations(text string) (found []*citation) {
	lines := strings.SplitAfter(text, "\n")
	offset, fence := 0, ""
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch f := fenceOf(line); {
		case fence == "" && f != "":
			fence = f
		case fence != "" && closesFence(line, fence):
			fence = ""
		default:
			of := citationsIn(line, fence != "", mostCitations-len(found))
			for _, c := range of {
				c.end += offset
			}
			found = append(found, of...)
			if fence != "" || len(of) == 0 {
				break
			}
			last := of[len(of)-1]
			if last.quoted != nil || !endsLine(text[last.end:offset+len(line)]) {
				break
			}
			var n int
			n, last.quoted = quotedBlock(lines[i+1:])
			for range n {
				offset += len(line)
				i++
				line = lines[i]
			}
		}
		offset += len(line)
	}
	return found
}

// citationsIn finds what a line cites. Behind the first most of them it no longer
// matters what is quoted.
func citationsIn(line string, inFence bool, most int) (found []*citation) {
	at := 0             // what is before was read
	seen, open := 0, -1 // how far code spans were looked for, and where one is open
	for at < len(line) {
		m := place().FindStringSubmatchIndex(line[at:])
		if m == nil {
			break
		}
		for n := range m {
			if m[n] >= 0 {
				m[n] += at
			}
		}
		start, end := m[0], m[1]
		for ; seen < start; seen++ {
			if line[seen] == '`' && open >= 0 {
				open = -1
			} else if line[seen] == '`' {
				open = seen + 1
			}
		}
		c := &citation{lines: ranges(line, m)}
		c.paths, c.fileLike = pathsBefore(line[at:start], max(open-at, -1), line[end:])
		if len(c.paths) == 0 || !endsHere(line[end:]) || linkSaysIt(line[end:]) {
			at = end
			continue
		}
		c.end = end + closing(line[end:], open >= 0)
		at = c.end
		if found = append(found, c); len(found) > most {
			continue
		}
		var n int
		if c.quoted, n = quoteBehind(line, end, c, open >= 0, inFence && m[8] < 0); n > at {
			at = n
		}
	}
	return found
}

// ranges are the lines that a place names.
func ranges(line string, m []int) []lineRange {
	group := func(n int) string {
		if m[2*n] < 0 {
			return ""
		}
		return line[m[2*n]:m[2*n+1]]
	}
	out := []lineRange{rangeOf(group(1), group(2))}
	for more := range strings.SplitSeq(strings.Trim(group(3), ","), ",") {
		if more != "" {
			first, last, _ := strings.Cut(strings.ReplaceAll(strings.ReplaceAll(more, "L", ""), "–", "-"), "-")
			out = append(out, rangeOf(first, last))
		}
	}
	return out
}

func rangeOf(first, last string) lineRange {
	a, err := strconv.Atoi(first)
	if err != nil {
		return lineRange{}
	}
	if last == "" {
		return lineRange{a, a}
	}
	b, err := strconv.Atoi(last)
	if err != nil {
		return lineRange{}
	}
	return lineRange{a, b}
}

// endsHere keeps apart a citation from an address that goes on and from a word.
func endsHere(after string) bool {
	r, _ := utf8.DecodeRuneInString(after)
	return after == "" || r != '/' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// linkSaysIt says that a citation is the text of a Markdown link that names a line
// itself: that one counts.
func linkSaysIt(after string) bool {
	dest, ok := linkBehind(after)
	return ok && place().MatchString(dest)
}

// mostLink bounds the destination of a link, in bytes.
const mostLink = 1 << 10

// linkBehind is where a link goes whose text has just been read.
func linkBehind(after string) (dest string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(after[:min(len(after), mostLink)], "`"), "](")
	if !ok {
		return "", false
	}
	dest, _, ok = strings.Cut(rest, ")")
	return dest, ok
}

// closing is how many bytes behind a citation belong to it: what closes its span,
// link or emphasis, so that the mark is outside.
func closing(after string, inSpan bool) int {
	n := 0
	if inSpan && strings.HasPrefix(after, "`") {
		n++
	}
	if strings.HasPrefix(after[n:], "](") {
		if end := strings.IndexByte(after[n:min(len(after), n+mostLink)], ')'); end >= 0 {
			return n + end + 1
		}
	}
	for n < len(after) && strings.IndexByte(")>*", after[n]) >= 0 {
		n++
	}
	return n
}

// pathsBefore reads a path backwards from its line number: before is what stands
// in front of the number and was not read, span where a code span begins in it.
func pathsBefore(before string, span int, after string) (paths []string, fileLike bool) {
	if quoted, ok := strings.CutSuffix(before, "`"); ok { // `a b.go`:12
		before, span = quoted, strings.LastIndexByte(quoted, '`')
		if span >= 0 {
			span++
		}
	}
	before = strings.TrimRight(before, "*")
	from := len(before)
	for from > 0 {
		r, size := utf8.DecodeLastRuneInString(before[:from])
		if !inPath(r) {
			break
		}
		from -= size
	}
	from, ok := scheme(before, from)
	if !ok {
		return nil, false
	}
	word := before[from:]
	if strings.Trim(word, "0123456789.") == "" && !(span >= 0 && span < from) { // 12:30, 1.2.3.4:80
		return nil, false
	}
	add := func(p string) {
		if p = strings.TrimSpace(p); p != "" && !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	if span >= 0 && span < len(before) {
		add(before[span:]) // a code span is one path, blanks and all
	}
	if link := strings.LastIndex(word, "]("); link >= 0 { // where it goes, not what it is called
		from += link + 2
		word = before[from:]
	}
	trimmed := strings.TrimLeft(word, "([{")
	if balanced(word) {
		add(word)
	}
	add(trimmed)
	for _, p := range slices.Clone(paths) { // as links and other systems write it
		if plain, err := url.PathUnescape(p); err == nil {
			add(plain)
		}
		add(strings.ReplaceAll(p, `\`, "/"))
	}
	if dest, ok := linkBehind(after); ok {
		add(strings.Trim(dest, "<>"))
	}
	for range mostWords { // a name with blanks, outside a code span
		blank := strings.LastIndexByte(strings.TrimRight(before[:from], " "), ' ')
		if from == 0 || before[from-1] != ' ' {
			break
		}
		from = blank + 1
		add(strings.TrimLeft(before[from:], "([{\"'"))
	}
	return paths, len(paths) > 0 && (looksLikeFile(trimmed) || looksLikeFile(paths[0]))
}

// mostWords is how many words before a name may belong to it.
const mostWords = 4

// inPath says whether a path that is not quoted may contain r.
func inPath(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) || strings.ContainsRune(`_@+~./\()[]{}$%&!=-`, r)
}

// scheme takes in what is before a path with a colon: a drive, or a scheme
// whose places are files. ok is false for an address of the web.
func scheme(before string, from int) (int, bool) {
	rest, colon := strings.CutSuffix(before[:from], ":")
	if !colon {
		return from, true
	}
	name := rest[strings.LastIndexFunc(rest, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-+.@_", r)
	})+1:]
	begin := len(rest) - len(name)
	switch {
	case name == "file", name == "vault", name == "fs", name == "agent-artifact", strings.HasPrefix(name, "vault@"):
		return begin, true
	case strings.HasPrefix(before[from:], "//"):
		return from, false
	case len(name) == 1 && unicode.IsLetter(rune(name[0])) && strings.IndexAny(before[from:], `/\`) == 0:
		return begin, true
	}
	return from, true
}

func balanced(s string) bool {
	for _, pair := range []string{"()", "[]", "{}"} {
		if strings.Count(s, pair[:1]) != strings.Count(s, pair[1:]) {
			return false
		}
	}
	return true
}

// names are files without an ending that everybody knows.
var names = strings.Fields("Makefile Dockerfile Containerfile Jenkinsfile Gemfile Rakefile Procfile Vagrantfile Justfile LICENSE README CHANGELOG CODEOWNERS BUILD WORKSPACE")

// hosts are endings of hosts that are not endings of files.
var hosts = strings.Fields("com org net io dev local internal localhost lan")

// looksLikeFile says of a name that no file has whether it was meant as one.
func looksLikeFile(path string) bool {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	dot := strings.LastIndexByte(name, '.')
	ending := name[dot+1:]
	switch {
	case dot >= 0 && ending != "" && strings.Trim(ending, "0123456789") != "":
		return name != path || !slices.Contains(hosts, strings.ToLower(ending))
	case name == "" || strings.Trim(name, "0123456789.") == "":
		return false
	}
	return name != path || slices.Contains(names, name)
}
