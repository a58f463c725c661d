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
	Context int // lines around each match
	Limit   int // lines or files
}

// lineChars is how much of a line is shown.
const lineChars = 500

// Hits collects what files have, from several goroutines, and keeps only
// what can still be shown: the first files by path up to the limit. So the
// answer is the same every time, and memory is bounded.
type Hits struct {
	q Query
	// shown is the name of a file as the answer says it.
	shown func(rel string) string
	look  Look
	// last is the last file that still fits into the limit, once it is reached:
	// of those behind it only the numbers count.
	last atomic.Pointer[string]

	mu    sync.Mutex // guards everything below
	files []fileHits
	lines int // matching lines in all
	found int // files with a match
	kept  int // lines in files
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

// Search looks through the text of the file rel and adds what matches, until ctx
// ends.
func (h *Hits) Search(ctx context.Context, rel string, data []byte) {
	var f fileHits
	keep := false
	c := contextLines{data: data, n: h.q.Context}
	content := h.q.Mode == Content
	h.q.Matcher.Each(ctx, data, content, func(l Line) bool {
		if f.count++; f.count == 1 {
			f.name, f.rel = h.shown(rel), rel
			last := h.last.Load()
			keep = last == nil || hitOrder(f.name, *last) <= 0
		}
		if content && keep && f.count <= h.q.Limit {
			f.lines = c.add(f.lines, l)
		}
		return h.q.Mode != Files
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
	if !keep {
		return
	}
	h.kept += h.weight(f)
	h.files = append(h.files, f)
	if h.kept > 4*h.q.Limit {
		h.prune()
	}
}

// weight is how much of the limit a file uses.
func (h *Hits) weight(f fileHits) int {
	if h.q.Mode == Content {
		return min(f.count, h.q.Limit)
	}
	return 1
}

// prune drops the files that lie behind the limit. mu is held.
func (h *Hits) prune() {
	slices.SortFunc(h.files, func(a, b fileHits) int { return hitOrder(a.name, b.name) })
	h.kept = 0
	for i, f := range h.files {
		if h.kept >= h.q.Limit {
			clear(h.files[i:])
			h.files = h.files[:i]
			break
		}
		h.kept += h.weight(f)
	}
	if h.kept >= h.q.Limit {
		name := h.files[len(h.files)-1].name
		h.last.Store(&name)
	}
}

// Text is the answer, and what is marked in it. name writes the name of a file, notes
// come behind what was found.
func (h *Hits) Text(name func(string) string, notes []string) (text string, marked []Stretch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.prune()
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

// writeLines shows at most room matching lines of f, with what stands around
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
		return "no match"
	}
	lines := countOf(h.lines, "matching line") + " in " + countOf(h.found, "file")
	switch {
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
