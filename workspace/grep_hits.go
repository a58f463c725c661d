package workspace

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// grepHits collects what files have, from several goroutines, and keeps only
// what can still be shown: the first files by path up to the limit. So the
// answer is the same every time, and memory is bounded.
type grepHits struct {
	q query
	// shown is the name of a file as the answer says it.
	shown func(rel string) string
	// last is the last file that still fits into the limit, once it is reached:
	// of those behind it only the numbers count.
	last atomic.Pointer[string]

	mu    sync.Mutex // guards everything below
	files []fileHits
	lines int // matching lines in all
	found int // files with a match
	kept  int // lines in files
}

type fileHits struct {
	name  string
	count int
	lines []string
}

// search looks through the text of the file rel and adds what matches, until ctx
// ends.
func (h *grepHits) search(ctx context.Context, rel string, data []byte) {
	var f fileHits
	keep := false
	c := contextLines{data: data, n: h.q.context}
	content := h.q.mode == "content"
	h.q.m.each(ctx, data, content, func(l line) bool {
		if f.count++; f.count == 1 {
			f.name = h.shown(rel)
			last := h.last.Load()
			keep = last == nil || hitOrder(f.name, *last) <= 0
		}
		if content && keep && f.count <= h.q.limit {
			f.lines = c.add(f.lines, l)
		}
		return h.q.mode != "files"
	})
	if f.count == 0 {
		return
	}
	f.lines = c.finish(f.lines)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.found++
	h.lines += f.count
	if !keep {
		return
	}
	h.kept += h.weight(f)
	h.files = append(h.files, f)
	if h.kept > 4*h.q.limit {
		h.prune()
	}
}

// weight is how much of the limit a file uses.
func (h *grepHits) weight(f fileHits) int {
	if h.q.mode == "content" {
		return min(f.count, h.q.limit)
	}
	return 1
}

// prune drops the files that lie behind the limit. mu is held.
func (h *grepHits) prune() {
	slices.SortFunc(h.files, func(a, b fileHits) int { return hitOrder(a.name, b.name) })
	h.kept = 0
	for i, f := range h.files {
		if h.kept >= h.q.limit {
			clear(h.files[i:])
			h.files = h.files[:i]
			break
		}
		h.kept += h.weight(f)
	}
	if h.kept >= h.q.limit {
		name := h.files[len(h.files)-1].name
		h.last.Store(&name)
	}
}

// text is the answer.
func (h *grepHits) text(notes []string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.prune()
	var b strings.Builder
	shown := 0
	for _, f := range h.files {
		if shown >= h.q.limit {
			break
		}
		name := printable(f.name)
		switch h.q.mode {
		case "files":
			fmt.Fprintln(&b, name)
			shown++
		case "count":
			fmt.Fprintf(&b, "%s: %d\n", name, f.count)
			shown++
		default:
			fmt.Fprintln(&b, name)
			shown += h.writeLines(&b, f, h.q.limit-shown)
		}
	}
	return b.String() + "(" + strings.Join(append([]string{h.summary(shown)}, notes...), "; ") + ")"
}

// writeLines shows at most room matching lines of f, with what stands around
// them, and returns how many.
func (h *grepHits) writeLines(b *strings.Builder, f fileHits, room int) int {
	n := 0
	for _, l := range f.lines {
		if isHit(l) {
			if n == room {
				break
			}
			n++
		}
		b.WriteString(l)
	}
	return n
}

func (h *grepHits) summary(shown int) string {
	if h.lines == 0 {
		return "no match"
	}
	lines := countOf(h.lines, "matching line") + " in " + countOf(h.found, "file")
	switch {
	case h.q.mode == "content" && shown < h.lines:
		return fmt.Sprintf("the first %d of %s", shown, lines)
	case h.q.mode == "files" && shown < h.found:
		return fmt.Sprintf("the first %d of %d files", shown, h.found)
	case h.q.mode == "files":
		return countOf(h.found, "file")
	case h.q.mode == "count" && shown < h.found:
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

func (c *contextLines) add(out []string, l line) []string {
	out = c.trail(out, l.no)
	first, from := l.no, l.start
	for range c.n { // go back over the lines before
		if first == 1 || first == c.last+1 {
			break
		}
		first, from = first-1, 1+bytes.LastIndexByte(c.data[:from-1], '\n')
	}
	if c.n > 0 && c.last > 0 && first > c.last+1 {
		out = append(out, "  --\n")
	}
	for ; first < l.no; first++ {
		end, next := c.bounds(from)
		out = append(out, fmt.Sprintf("  %d- %s\n", first, window(c.data[from:end], 0, 0)))
		from = next
	}
	out = append(out, fmt.Sprintf("  %d: %s\n", l.no, window(c.data[l.start:l.end], l.matchFrom-l.start, l.matchTo-l.start)))
	_, c.after = c.bounds(l.start)
	c.last, c.pending = l.no, c.n
	return out
}

// trail writes the lines after the last match, up to the line before.
func (c *contextLines) trail(out []string, before int) []string {
	for ; c.pending > 0 && c.last > 0 && c.last+1 < before && c.after < len(c.data); c.pending-- {
		end, next := c.bounds(c.after)
		c.last++
		out = append(out, fmt.Sprintf("  %d- %s\n", c.last, window(c.data[c.after:end], 0, 0)))
		c.after = next
	}
	return out
}

func (c *contextLines) finish(out []string) []string { return c.trail(out, 1<<62) }

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

// window is at most grepLineChars characters of a line, with the match in the
// middle.
func window(text []byte, from, to int) string {
	if len(text) <= grepLineChars || utf8.RuneCount(text) <= grepLineChars {
		return encoding{}.decode(text)
	}
	to = min(to, from+grepLineChars)
	room := grepLineChars - utf8.RuneCount(text[from:to])
	start, end := from, to
	for left := room / 2; left > 0 && start > 0; left-- {
		_, size := utf8.DecodeLastRune(text[:start])
		start -= size
		room--
	}
	for ; room > 0 && end < len(text); room-- {
		_, size := utf8.DecodeRune(text[end:])
		end += size
	}
	for ; room > 0 && start > 0; room-- {
		_, size := utf8.DecodeLastRune(text[:start])
		start -= size
	}
	out := encoding{}.decode(text[start:end])
	if start > 0 {
		out = "…" + out
	}
	if end < len(text) {
		out += "…"
	}
	return out
}

// countOf is "1 file" or "2 files".
func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
