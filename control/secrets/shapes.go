package secrets

import (
	"slices"
	"strings"
)

// Hints of what is no run of letters, behind those of shapes.
const (
	hintBegin = "-----BEGIN "
	hintEnd   = "-----END "
	hintURL   = "://"
	hintCut   = "…"
)

// Found is a stretch of a text that is a secret by its form; Kind is short and
// says which form. Part says that the text was cut inside it, so that only a piece
// of it is there.
type Found struct {
	Start, End int // bytes
	Kind       string
	Part       bool
}

// Shapes finds the high-precision shapes of keys, in order and apart from
// each other. None goes over a line end: of a private key each line is one, so that
// what is in front of lines, such as numbers, is none. Its time is linear in s.
func Shapes(s string) []Found {
	f := shapeFinder{s: s}
	f.find()
	if len(f.found) < 2 {
		return f.found
	}
	slices.SortStableFunc(f.found, func(a, b Found) int { return a.Start - b.Start })
	apart := f.found[:1]
	for _, found := range f.found[1:] {
		if last := &apart[len(apart)-1]; found.Start >= last.End {
			apart = append(apart, found)
		} else if found.End > last.End {
			last.End, last.Part = found.End, true
		}
	}
	return apart
}

// ShapesOfPiece is Shapes for a piece of a longer text, whose beginning or end
// may be the middle of a secret.
func ShapesOfPiece(s string, cutBefore, cutAfter bool) []Found {
	off := 0
	if cutBefore {
		s, off = hintCut+s, len(hintCut)
	}
	end := len(s)
	if cutAfter {
		s += hintCut
	}
	found := Shapes(s)
	for i := range found {
		found[i].Start, found[i].End = max(found[i].Start, off)-off, min(found[i].End, end)-off
	}
	return found
}

// shapeFinder looks through one text.
type shapeFinder struct {
	s     string
	found []Found
	runs  []looked // by shape: the run that was looked at last
	pem   int      // up to here private keys were looked at
}

func (f *shapeFinder) find() {
	m := shapeHints()
	state := 0
	for i := 0; i < len(f.s); i++ {
		state = int(m.next[state<<8|int(f.s[i])])
		if state >= m.accepting {
			for _, h := range m.ends[state-m.accepting] {
				f.candidate(h, i+1-len(m.hints[h]))
			}
		}
	}
}

// candidate looks at what begins with hint h at at.
func (f *shapeFinder) candidate(h, at int) {
	m := shapeHints()
	end := at + len(m.hints[h])
	switch m.hints[h] {
	case hintBegin:
		f.privateKey(at)
	case hintEnd:
		f.restOfKey(at)
	case hintURL:
		f.urlUser(at)
	case hintCut:
		f.cut(at)
	default:
		switch sh := &shapes()[m.shape[h]]; {
		case sh.look != nil:
			sh.look(f, sh, at, end)
		default:
			f.key(m.shape[h], at, end)
		}
	}
}

// looked is a run of letters in which a shape was looked for.
type looked struct {
	end   int // of the run
	found int // the end of what was found in it
	tries int // in vain
}

// mostTries is how often a shape is looked for in one run of letters: its hint may
// are in it by chance, in front of the key. More often nothing but a text made to
// cost time repeats it.
const mostTries = 16

// key looks for shape k, whose hint stands from at to end, whatever is in front of it.
func (f *shapeFinder) key(k, at, end int) {
	sh := &shapes()[k]
	if f.runs == nil {
		f.runs = make([]looked, len(shapes()))
	}
	run := &f.runs[k]
	if at < run.found || end <= run.end && run.tries >= mostTries {
		return
	}
	if end > run.end {
		*run = looked{end: end, found: run.found}
		for run.end < len(f.s) && isRun(f.s[run.end], sh.more) {
			run.end++
		}
	}
	run.tries++
	from, to, ok := sh.match(f.s, at, end, run.end)
	if !ok || sh.inName(f.s[:at], f.s[from:min(to, from+maxRun)]) {
		return
	}
	run.found = to
	f.found = append(f.found, Found{Start: from, End: to, Kind: sh.kind})
}

func isRun(b byte, more string) bool {
	return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9' || strings.IndexByte(more, b) >= 0
}

// repeats says that a text is one that people write for a key: its end is of very
// few characters, such as xxxxxxxx or 000000.
func repeats(s string) bool {
	tail := s[len(s)-min(len(s), 16):]
	return distinct(tail) <= 3
}

func distinct(s string) int {
	var seen [256]bool
	n := 0
	for i := range len(s) {
		if !seen[s[i]] {
			seen[s[i]] = true
			n++
		}
	}
	return n
}
