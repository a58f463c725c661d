package textedit

import (
	"slices"
	"strings"
)

// units is how a place counts its indentation where the old text counts it
// otherwise: one of the two by tabs, the other by a number of spaces.
type units struct {
	from, to string // one level in the old text and in the file
	deeper   int    // how many levels more the file has
}

// Widths that a level of spaces has, in characters. One space is no level: what is
// aligned would pass for it.
const (
	minUnit = 2
	maxUnit = 8
)

// reindent writes a line of the new text as the file would have it. false says that
// its indentation is no number of levels, so that nobody can tell.
func (u units) reindent(line string) (string, bool) {
	own := indentOf(line)
	body := line[len(own):]
	if body == "" {
		return line, true
	}
	n := strings.Count(own, u.from)
	if len(own) != n*len(u.from) || n+u.deeper < 0 {
		return "", false
	}
	return strings.Repeat(u.to, n+u.deeper) + body, true
}

// findUnits finds every run of whole lines that equals the lines of old when each
// level of indentation is one tab on the one side and one number of spaces on the
// other. It is exact: every line of the place and of both texts is at a number
// of whole levels, and two of old are one level apart, so that its width is seen and
// not guessed. Texts with a single level are found by the strategy before.
func findUnits(s *source, old, new string, how normalization) ([]span, error) {
	ends := strings.HasSuffix(old, "\n")
	want := strings.Split(strings.TrimSuffix(how.normalize(old).s, "\n"), "\n")
	levels, from, low, high := levelsOf(want)
	if from == "" {
		return nil, nil
	}
	have := s.folded(how)
	var out []span
	work := 0
	for i := 0; i+len(want) <= len(have); i++ {
		u, ok := unitsAt(have[i+low], have[i+high], want[low], want[high], from)
		if !ok {
			continue
		}
		u.deeper -= levels[low]
		same := true
		for k := 0; k < len(want) && same; k++ {
			work += len(have[i+k]) + 16 // a line costs something by itself
			same = u.same(have[i+k], want[k], levels[k])
		}
		if work > maxWork {
			return nil, errRepeats
		}
		if !same {
			continue
		}
		start, end := s.linesAt(i, len(want), ends)
		out = append(out, span{start: start, end: end, units: &u})
		if len(out) > maxOverlapping {
			i += len(want) - 1
		}
		if len(out) > maxPlaces {
			return nil, errRepeats
		}
	}
	if slices.ContainsFunc(out, func(at span) bool { return !at.units.writes(new) }) {
		return nil, nil
	}
	return out, nil
}

// levelsOf counts the levels of lines, which are of one kind. low and high are two
// of them that are one level apart. from is what one level is, "" where the lines
// have no levels that can be told.
func levelsOf(lines []string) (levels []int, from string, low, high int) {
	tabs, blanks := true, true // all of them
	var depths []int
	for _, l := range lines {
		if own := indentOf(l); own != l {
			tabs, blanks = tabs && strings.Trim(own, "\t") == "", blanks && strings.Trim(own, " ") == ""
			depths = append(depths, len(own))
		}
	}
	slices.Sort(depths)
	depths = slices.Compact(depths)
	unit := 0
	for i := 1; i < len(depths); i++ {
		if gap := depths[i] - depths[i-1]; unit == 0 || gap < unit {
			unit = gap
		}
	}
	switch {
	case unit == 1 && tabs:
		from = "\t"
	case unit >= minUnit && unit <= maxUnit && blanks:
		from = strings.Repeat(" ", unit)
	default:
		return nil, "", 0, 0
	}
	at := map[int]int{} // a line of each level
	for i, l := range lines {
		own := len(indentOf(l))
		if own%unit != 0 {
			return nil, "", 0, 0
		}
		if levels = append(levels, own/unit); own < len(l) {
			at[own/unit] = i
		}
	}
	for _, level := range levels {
		if line, ok := at[level]; ok {
			if deeper, ok := at[level+1]; ok {
				return levels, from, line, deeper
			}
		}
	}
	return nil, "", 0, 0
}

// unitsAt is how two lines of a file count their indentation if they are those of the
// old text, which are one level apart; deeper is that of the lower one.
func unitsAt(low, high, wantLow, wantHigh, from string) (units, bool) {
	lower, higher := indentOf(low), indentOf(high)
	if low[len(lower):] != wantLow[len(indentOf(wantLow)):] || high[len(higher):] != wantHigh[len(indentOf(wantHigh)):] {
		return units{}, false
	}
	u := units{from: from, to: "\t"}
	if from == "\t" {
		n := len(higher) - len(lower)
		if n < minUnit || n > maxUnit {
			return units{}, false
		}
		u.to = strings.Repeat(" ", n)
	}
	u.deeper = len(lower) / len(u.to)
	return u, true
}

// same says that a line of the file is the one of the old text at that level.
func (u units) same(have, want string, level int) bool {
	body := want[len(indentOf(want)):]
	if body == "" {
		return have == ""
	}
	own, ok := strings.CutSuffix(have, body)
	n := level + u.deeper
	return ok && n >= 0 && len(own) == n*len(u.to) && strings.Trim(own, u.to[:1]) == ""
}

// writes says that every line of the new text can be written in these units.
func (u units) writes(new string) bool {
	for line := range strings.SplitSeq(unixEnds(new), "\n") {
		if _, ok := u.reindent(line); !ok {
			return false
		}
	}
	return true
}
