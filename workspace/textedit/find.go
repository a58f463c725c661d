package textedit

import (
	"errors"
	"strings"
)

const (
	// maxOverlapping matches are enough to say that there are several; after them
	// only those side by side are counted.
	maxOverlapping = 1000
	// maxPlaces is how many places one call replaces: each costs memory.
	maxPlaces = 1 << 20
	// maxWork is how many bytes one strategy compares behind its first look at the
	// text. Only texts that repeat themselves without an end come near it.
	maxWork = 1 << 28
)

// errRepeats is for a text in which a place cannot be told in bounded time.
var errRepeats = errors.New("the file repeats itself so often that the place cannot be told; use a longer or another piece of it, or write the whole file")

// source is a text that is searched, with what was made of it on the way up the
// strategies: the hunks of a patch try them one after the other.
type source struct {
	text   string
	folds  map[normalization]normalized
	lines  map[normalization][]string
	starts []int // of the lines
}

func newSource(text string) *source {
	return &source{text: text, folds: map[normalization]normalized{}, lines: map[normalization][]string{}}
}

func (s *source) fold(how normalization) normalized {
	f, ok := s.folds[how]
	if !ok {
		f = how.normalize(s.text)
		s.folds[how] = f
	}
	return f
}

// folded are the lines of the text; what is behind a final line end is none.
func (s *source) folded(how normalization) []string {
	l, ok := s.lines[how]
	if !ok {
		l = strings.Split(strings.TrimSuffix(s.fold(how).s, "\n"), "\n")
		s.lines[how] = l
	}
	return l
}

func (s *source) lineStarts() []int {
	if s.starts == nil {
		s.starts = lineStarts(s.text)
	}
	return s.starts
}

// noop says that a normalization changes neither text, so that an earlier strategy has
// found all that this one would.
func (r strategy) noop(s *source, old string) bool {
	if r.lines {
		return r.how.marks && ascii(old) && ascii(s.text)
	}
	return r.how != normalization{} && !r.how.applies(old) && !r.how.applies(s.text)
}

// find finds every place, overlapping ones too, where old is in the text when
// what the strategy forgives is left out, and new can take its place. With whole only
// lines as a whole count: old ends with a line end then, which the last line of the
// text may lack.
func (r strategy) find(s *source, old, new string, whole bool) ([]span, error) {
	switch {
	case r.noop(s, old):
		return nil, nil
	case r.units:
		return findUnits(s, old, new, r.how)
	case r.lines:
		return findLines(s, old, r.how)
	}
	t, o := s.fold(r.how), r.how.normalize(old)
	if o.s == "" || r.how.blanks && strings.TrimSpace(o.s) == "" {
		return nil, nil
	}
	if whole {
		if t.s != "" && !strings.HasSuffix(t.s, "\n") {
			t.s += "\n"
		}
		return t.every(o.s, func(i, _ int) bool { return i == 0 || t.s[i-1] == '\n' })
	}
	return t.every(o.s, func(i, j int) bool {
		if !t.edge(i) || !t.edge(j) || o.cut && j < len(t.s) && t.s[j] != '\n' {
			return false
		}
		return !splitsCRLF(s.text, t.start(i)) && !splitsCRLF(s.text, t.end(j-1))
	})
}

// every finds each place of old that fits.
func (f *normalized) every(old string, fits func(i, j int) bool) ([]span, error) {
	var out []span
	work := 0
	for from := 0; ; {
		i := strings.Index(f.s[from:], old)
		if i < 0 {
			return out, nil
		}
		i += from
		j := i + len(old)
		from = i + 1
		if work += len(old); work > maxWork {
			return nil, errRepeats
		}
		if !fits(i, j) {
			continue
		}
		out = append(out, span{start: f.start(i), end: min(f.end(j-1), len(f.text))})
		if len(out) > maxOverlapping {
			from = j
		}
		if len(out) > maxPlaces {
			return nil, errRepeats
		}
	}
}

func splitsCRLF(text string, at int) bool {
	return at > 0 && at < len(text) && text[at-1] == '\r' && text[at] == '\n'
}

// findLines finds every run of whole lines that equals the lines of old when
// the indentation common to each of the two is left out.
func findLines(s *source, old string, how normalization) ([]span, error) {
	ends := strings.HasSuffix(old, "\n")
	want := strings.Split(strings.TrimSuffix(how.normalize(old).s, "\n"), "\n")
	if strings.TrimSpace(strings.Join(want, "")) == "" {
		return nil, nil
	}
	have := s.folded(how)
	from := commonIndent(want)
	for i := range want {
		want[i] = strings.TrimPrefix(want[i], from)
	}
	probe := 0 // a line that says where the indentation of the others begins
	for want[probe] == "" {
		probe++
	}
	var out []span
	work := 0
	for i := 0; i+len(want) <= len(have); i++ {
		indent, ok := strings.CutSuffix(have[i+probe], want[probe])
		if !ok || strings.Trim(indent, " \t") != "" {
			continue
		}
		same, n := sameLines(have[i:i+len(want)], indent, want)
		if work += n; work > maxWork {
			return nil, errRepeats
		}
		if !same {
			continue
		}
		start, end := s.linesAt(i, len(want), ends)
		out = append(out, span{start: start, end: end, indent: indent, dedented: true})
		if len(out) > maxOverlapping {
			i += len(want) - 1
		}
		if len(out) > maxPlaces {
			return nil, errRepeats
		}
	}
	return out, nil
}

// linesAt is where n lines of the text begin and end; ends: with the end of the last.
func (s *source) linesAt(first, n int, ends bool) (start, end int) {
	starts := s.lineStarts()
	end, next := lineBounds(s.text, starts[first+n-1], true)
	if ends {
		end = next
	}
	return starts[first], end
}

// sameLines compares lines with those that are behind indent, and says how many
// bytes it has looked at.
func sameLines(have []string, indent string, want []string) (same bool, work int) {
	for i, line := range have {
		work += len(line) + 16 // a line costs something by itself
		if want[i] == "" && line == "" {
			continue
		}
		if rest, ok := strings.CutPrefix(line, indent); !ok || rest != want[i] {
			return false, work
		}
	}
	return true, work
}

// commonIndent is the blanks that all lines begin with; blank lines do not
// count.
func commonIndent(lines []string) string {
	indent, first := "", true
	for _, l := range lines {
		body := strings.TrimLeft(l, " \t")
		if body == "" {
			continue
		}
		own := l[:len(l)-len(body)]
		if first {
			indent, first = own, false
			continue
		}
		indent = sharedPrefix(indent, own)
	}
	return indent
}

func sharedPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// lineStarts is where each line of text begins; one after a final line end too.
func lineStarts(text string) []int {
	out := make([]int, 1, 1+strings.Count(text, "\n"))
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return out
		}
		at += i + 1
		out = append(out, at)
	}
}
