package search

import (
	"regexp/syntax"
	"unicode/utf8"
)

// classRun is a run of bytes out of a set that every match of a pattern
// contains: eight digits, four capitals. Where no text is known it tells which
// lines the expression need not see.
type classRun struct {
	set  [256]bool
	n    int // bytes of the run; 0: nothing is known
	size int // bytes in the set
}

// seek is the first place at or after from where n bytes of the set stand side
// by side, len(hay) for none. Only every n-th byte is looked at where none fits.
func (c *classRun) seek(hay []byte, from int) int {
	for at := from + c.n - 1; at < len(hay); {
		if !c.set[hay[at]] {
			at += c.n
			continue
		}
		start := at
		for start > from && start > at-c.n+1 && c.set[hay[start-1]] {
			start--
		}
		if at-start+1 == c.n {
			return start
		}
		// The byte before start breaks the run; it may be made whole behind at.
		end := at + 1
		for end < len(hay) && end-start < c.n && c.set[hay[end]] {
			end++
		}
		if end-start == c.n {
			return start
		}
		at = end + c.n
	}
	return len(hay)
}

// requiredRun finds the run that is hardest to have: the longest, of equals the
// one with the fewest bytes to choose from.
func requiredRun(re *syntax.Regexp) (best classRun) {
	switch re.Op {
	case syntax.OpCharClass:
		return classOf(re)
	case syntax.OpCapture:
		return requiredRun(re.Sub[0])
	case syntax.OpPlus, syntax.OpRepeat:
		if re.Op == syntax.OpRepeat && re.Min == 0 {
			return best
		}
		best = requiredRun(re.Sub[0])
		if re.Op == syntax.OpRepeat && re.Sub[0].Op == syntax.OpCharClass {
			best.n *= re.Min
		}
	case syntax.OpConcat:
		for i := 0; i < len(re.Sub); i++ {
			run := requiredRun(re.Sub[i])
			// Simplify writes x{3} as xxx: neighbours of one set add up, as long
			// as each is nothing but its class.
			for run.n > 0 && onlyClass(re.Sub[i]) && i+1 < len(re.Sub) {
				next := classRun{}
				if core := re.Sub[i+1]; core.Op == syntax.OpCharClass || core.Op == syntax.OpPlus && core.Sub[0].Op == syntax.OpCharClass {
					next = requiredRun(core)
				}
				if next.n == 0 || next.set != run.set {
					break
				}
				run.n += next.n
				i++
			}
			if run.n > best.n || run.n == best.n && run.size < best.size {
				best = run
			}
		}
	}
	return best
}

func onlyClass(re *syntax.Regexp) bool { return re.Op == syntax.OpCharClass }

// classOf is one character of a class: one byte of ASCII, or at least one byte
// that is not, which broken UTF-8 has as well.
func classOf(re *syntax.Regexp) (c classRun) {
	c.n = 1
	for i := 0; i+1 < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= re.Rune[i+1] && r < utf8.RuneSelf; r++ {
			c.set[r] = true
		}
		if re.Rune[i+1] >= utf8.RuneSelf {
			for b := utf8.RuneSelf; b < 256; b++ {
				c.set[b] = true
			}
		}
	}
	for _, in := range c.set {
		if in {
			c.size++
		}
	}
	return c
}
