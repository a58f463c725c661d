package search

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// Mode is what an answer shows.
type Mode string

const (
	Content Mode = "content" // the lines that match, with those around them
	Files   Mode = "files"   // the names of the files
	Count   Mode = "count"   // the names with how many lines match
)

// Query is what is looked for in texts, and how much of it is shown.
type Query struct {
	Matcher *Matcher
	Mode    Mode
	Context int    // lines around each match
	Limit   int    // lines or files
	Noun    string // what a line that is found is called; "" is "matching line"
}

func (q Query) noun() string { return cmp.Or(q.Noun, "matching line") }

// lineChars is how much of a line is shown.
const lineChars = 500

// What is searched only to be counted, once all that is shown has been found.
const (
	countedMost  = 1000     // lines, or files where only these are shown
	countedBytes = 32 << 20 // of text
	countedFile  = 16 << 10 // what a small file costs in these
)

// Hits collects what files have, from several goroutines, and keeps only
// what can still be shown: the first files by path up to the limit. So the
// lines that are shown are the same every time, and memory is bounded. How many
// there are in all is counted up to a bound, except where Count asks for it.
type Hits struct {
	q Query
	// shown is the name of a file as the answer says it.
	shown func(rel string) string
	look  Look
	// last is the last file that still fits into the limit, once it is reached:
	// of those behind it only the numbers count.
	last    atomic.Pointer[string]
	counted atomic.Int64 // bytes of those behind it
	cut     atomic.Bool  // these are not counted any more

	mu    sync.Mutex // guards everything below
	files []fileHits // in order
	lines int        // matching lines in all
	found int        // files with a match
	kept  int        // lines in files
}

// NewHits are none yet. shown is the name of a file below what is searched, by which
// files are in order. look marks what is shown of a file; nil marks nothing.
func NewHits(q Query, shown func(rel string) string, look Look) *Hits {
	return &Hits{q: q, shown: shown, look: look}
}

type fileHits struct {
	name, rel string
	count     int
	lines     []shownLine
	elsewhere []Stretch // that are not in lines
}

// Past says that nothing of a file, or of everything below a directory, is shown or
// counted any more: it need not be read.
func (h *Hits) Past(rel string, dir bool) bool {
	if !h.cut.Load() {
		return false
	}
	last := *h.last.Load()
	name := h.shown(rel)
	if !dir {
		return hitOrder(name, last) > 0
	}
	// The names of directories below this one begin with its own, so that they are behind the last, too.
	return name+"/" > last[:strings.LastIndexByte(last, '/')+1]
}

// Search looks through the text of the file rel and adds what matches, until ctx
// ends.
func (h *Hits) Search(ctx context.Context, rel string, data []byte) {
	f := fileHits{name: h.shown(rel), rel: rel}
	last := h.last.Load()
	keep := last == nil || hitOrder(f.name, *last) <= 0
	if !keep && !h.counts(len(data)) {
		return
	}
	c := contextLines{data: data, n: h.q.Context}
	content := h.q.Mode == Content
	h.q.Matcher.Each(ctx, data, content, func(l Line) bool {
		f.count++
		if content && keep && f.count <= h.q.Limit {
			f.lines = c.add(f.lines, l)
		}
		return h.q.Mode == Count || content && f.count <= countedMost
	})
	if f.count == 0 {
		return
	}
	f.lines = c.finish(f.lines)
	if h.look != nil {
		f.mark(h.look, data)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.found++
	h.lines += f.count
	if keep {
		h.insert(f)
	}
	if h.many() && h.last.Load() != nil {
		h.cut.Store(true)
	}
}

// Add adds lines of the file rel by their numbers, from 1, as if they matched. Lines that the
// text does not have are not added; it returns how many.
func (h *Hits) Add(rel string, data []byte, numbers map[int]bool) (missing int) {
	f := fileHits{name: h.shown(rel), rel: rel}
	c := contextLines{data: data, n: h.q.Context}
	for no, from := 1, 0; from < len(data); no++ {
		end, next := c.bounds(from)
		if numbers[no] {
			f.count++
			f.lines = c.add(f.lines, Line{Start: from, End: end, MatchFrom: from, MatchTo: from, No: no})
		}
		from = next
	}
	f.lines = c.finish(f.lines)
	if missing = len(numbers) - f.count; f.count == 0 {
		return missing
	}
	if h.look != nil {
		f.mark(h.look, data)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.found++
	h.lines += f.count
	h.insert(f)
	return missing
}

// counts tells whether a file behind the last that is shown is counted, and takes its size
// from what may be read for that.
func (h *Hits) counts(size int) bool {
	if h.q.Mode == Count {
		return true
	}
	if h.counted.Add(max(int64(size), countedFile)) > countedBytes {
		h.cut.Store(true)
	}
	return !h.cut.Load()
}

// many says that there are so many that their number is not told. mu is held.
func (h *Hits) many() bool {
	return h.q.Mode == Content && h.lines > countedMost || h.q.Mode == Files && h.found > countedMost
}

// insert puts a file in its place and drops those behind the limit. mu is held.
func (h *Hits) insert(f fileHits) {
	at, _ := slices.BinarySearchFunc(h.files, f, func(a, b fileHits) int { return hitOrder(a.name, b.name) })
	h.files = slices.Insert(h.files, at, f)
	h.kept += h.weight(f)
	for end := len(h.files) - 1; h.kept-h.weight(h.files[end]) >= h.q.Limit; end-- {
		h.kept -= h.weight(h.files[end])
		h.files = slices.Delete(h.files, end, end+1)
	}
	if h.kept >= h.q.Limit {
		name := h.files[len(h.files)-1].name
		h.last.Store(&name)
	}
}

// weight is how much of the limit a file uses.
func (h *Hits) weight(f fileHits) int {
	if h.q.Mode == Content {
		return min(f.count, h.q.Limit)
	}
	return 1
}

// Text is the answer, and what is marked in it. name writes the name of a file, notes
// come behind what was found.
func (h *Hits) Text(name func(string) string, notes []string) (text string, marked []Stretch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var b strings.Builder
	shown := 0
	for _, f := range h.files {
		if shown >= h.q.Limit {
			break
		}
		title := name(f.name)
		switch h.q.Mode {
		case Files:
			fmt.Fprintln(&b, title)
			shown++
		case Count:
			fmt.Fprintf(&b, "%s: %d\n", title, f.count)
			shown++
		default:
			fmt.Fprintln(&b, title)
			shown += h.writeLines(&b, f, h.q.Limit-shown, &marked)
			marked = append(marked, f.elsewhere...)
		}
	}
	return b.String() + "(" + strings.Join(append([]string{h.summary(shown)}, notes...), "; ") + ")", marked
}

// writeLines shows at most room matching lines of f, with what is around
// them, and returns how many.
func (h *Hits) writeLines(b *strings.Builder, f fileHits, room int, marked *[]Stretch) int {
	n := 0
	for _, l := range f.lines {
		if isHit(l.head) {
			if n == room {
				break
			}
			n++
		}
		b.WriteString(l.head)
		for _, s := range l.marked {
			s.From, s.To, s.Rel = s.From+b.Len(), s.To+b.Len(), f.rel
			*marked = append(*marked, s)
		}
		b.WriteString(l.text + "\n")
	}
	return n
}

func (h *Hits) summary(shown int) string {
	if h.lines == 0 {
		return "no " + cmp.Or(h.q.Noun, "match")
	}
	lines := countOf(h.lines, h.q.noun()) + " in " + countOf(h.found, "file")
	what := h.q.noun() + "s"
	all := h.lines
	if h.q.Mode == Files {
		what = "files"
		all = h.found
	}
	switch {
	case h.many():
		return fmt.Sprintf("the first %d of more than %d %s", shown, countedMost, what)
	case h.cut.Load() && all > shown:
		return fmt.Sprintf("the first %d %s; there are more", shown, what)
	case h.cut.Load():
		return fmt.Sprintf("the first %d %s; there may be more", shown, what)
	case h.q.Mode == Content && shown < h.lines:
		return fmt.Sprintf("the first %d of %s", shown, lines)
	case h.q.Mode == Files && shown < h.found:
		return fmt.Sprintf("the first %d of %d files", shown, h.found)
	case h.q.Mode == Files:
		return countOf(h.found, "file")
	case h.q.Mode == Count && shown < h.found:
		return fmt.Sprintf("%s; the first %d files shown", lines, shown)
	}
	return lines
}

// contextLines writes matching lines and the n lines around each, every line
// once, with `--` where lines are left out.
type contextLines struct {
	data []byte
	n    int

	last    int // number of the last line written
	after   int // where the line behind it starts
	pending int // lines that still belong to the last match
}

func (c *contextLines) add(out []shownLine, l Line) []shownLine {
	out = c.trail(out, l.No)
	first, from := l.No, l.Start
	for range c.n { // go back over the lines before
		if first == 1 || first == c.last+1 {
			break
		}
		first, from = first-1, 1+bytes.LastIndexByte(c.data[:from-1], '\n')
	}
	if c.n > 0 && c.last > 0 && first > c.last+1 {
		out = append(out, shownLine{text: "  --"})
	}
	for ; first < l.No; first++ {
		end, next := c.bounds(from)
		out = append(out, newShownLine(fmt.Sprintf("  %d- ", first), c.data, from, end, 0, 0))
		from = next
	}
	out = append(out, newShownLine(fmt.Sprintf("  %d: ", l.No), c.data, l.Start, l.End, l.MatchFrom-l.Start, l.MatchTo-l.Start))
	_, c.after = c.bounds(l.Start)
	c.last, c.pending = l.No, c.n
	return out
}

// trail writes the lines after the last match, up to the line before.
func (c *contextLines) trail(out []shownLine, before int) []shownLine {
	for ; c.pending > 0 && c.last > 0 && c.last+1 < before && c.after < len(c.data); c.pending-- {
		end, next := c.bounds(c.after)
		c.last++
		out = append(out, newShownLine(fmt.Sprintf("  %d- ", c.last), c.data, c.after, end, 0, 0))
		c.after = next
	}
	return out
}

func (c *contextLines) finish(out []shownLine) []shownLine { return c.trail(out, 1<<62) }

func (c *contextLines) bounds(from int) (end, next int) {
	i := bytes.IndexByte(c.data[from:], '\n')
	if i < 0 {
		end, next = len(c.data), len(c.data)
	} else {
		end, next = from+i, from+i+1
	}
	if end > from && c.data[end-1] == '\r' {
		end--
	}
	return end, next
}

// isHit tells a matching line from one around it: the digits end with `:`.
func isHit(l string) bool {
	rest := strings.TrimLeft(l, " 0123456789")
	return strings.HasPrefix(rest, ":")
}

// countOf is "1 file" or "2 files".
func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// hitOrder sorts shown paths by directory, then name.
func hitOrder(a, b string) int {
	i, j := strings.LastIndexByte(a, '/')+1, strings.LastIndexByte(b, '/')+1
	return cmp.Or(strings.Compare(a[:i], b[:j]), strings.Compare(a[i:], b[j:]))
}

// Readable is a line as valid UTF-8, with NUL made visible.
func Readable(line []byte) string {
	s := string(line)
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ReplaceAll(s, "\x00", "␀")
}
