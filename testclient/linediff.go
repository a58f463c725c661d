package testclient

import (
	"fmt"
	"strings"
)

// maxShownLine bounds what is shown of a line, in characters.
const maxShownLine = 400

// anything at the end of a golden line stands for whatever JSON is there; an
// update keeps it.
const anything = "{…}"

// matches holds an actual line against a golden one.
func matches(golden, actual string) bool {
	if head, ok := strings.CutSuffix(golden, anything); ok {
		return strings.HasPrefix(actual, head)
	}
	return golden == actual
}

// align pairs golden lines with actual ones: a longest common subsequence, as
// indexes into both, ascending. Same beginnings and ends are taken first, so that
// two long texts cost what they differ.
func align(golden, actual []string) [][2]int {
	var pairs [][2]int
	head := 0
	for head < min(len(golden), len(actual)) && matches(golden[head], actual[head]) {
		pairs = append(pairs, [2]int{head, head})
		head++
	}
	i, j := len(golden), len(actual)
	for i > head && j > head && matches(golden[i-1], actual[j-1]) {
		i, j = i-1, j-1
	}
	for _, p := range alignMiddle(golden[head:i], actual[head:j]) {
		pairs = append(pairs, [2]int{head + p[0], head + p[1]})
	}
	for ; i < len(golden); i, j = i+1, j+1 {
		pairs = append(pairs, [2]int{i, j})
	}
	return pairs
}

func alignMiddle(golden, actual []string) [][2]int {
	n, m := len(golden), len(actual)
	best := make([][]int, n+1)
	for i := range best {
		best[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if matches(golden[i], actual[j]) {
				best[i][j] = max(best[i][j], best[i+1][j+1]+1)
			}
		}
	}
	var pairs [][2]int
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case matches(golden[i], actual[j]) && best[i][j] == best[i+1][j+1]+1:
			pairs = append(pairs, [2]int{i, j})
			i++
			j++
		case best[i+1][j] >= best[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// maxDifference bounds what difference shows, in lines.
const maxDifference = 60

// difference shows what is missing (-) and what is new (+) with a line of what
// agrees around it; "" when the lines are the same.
func difference(golden, actual []string) string {
	pairs := align(golden, actual)
	if len(pairs) == len(golden) && len(pairs) == len(actual) {
		return ""
	}
	var out []string
	i, j := 0, 0
	for _, p := range append(pairs, [2]int{len(golden), len(actual)}) {
		gone, come := golden[i:p[0]], actual[j:p[1]]
		for k, line := range gone {
			out = append(out, "  - "+excerpt(line, at(come, k)))
		}
		for k, line := range come {
			out = append(out, "  + "+excerpt(line, at(gone, k)))
		}
		if p[0] < len(golden) {
			out = append(out, "    "+shorten(golden[p[0]], 120))
		}
		i, j = p[0]+1, p[1]+1
	}
	out = nearChanges(out)
	if n := len(out) - maxDifference; n > 0 {
		out = append(out[:maxDifference], fmt.Sprintf("  … %d more lines", n))
	}
	return strings.Join(out, "\n") + "\n"
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// excerpt is a line that can be shown: of a long one the part where it begins to
// differ from the other.
func excerpt(line, other string) string {
	r, o := []rune(line), []rune(other)
	if len(r) <= maxShownLine {
		return line
	}
	same := 0
	for same < min(len(r), len(o)) && r[same] == o[same] {
		same++
	}
	if same < maxShownLine/2 {
		return shorten(line, maxShownLine)
	}
	from := same - maxShownLine/4
	return string(r[:maxShownLine/8]) + " … " + shorten(string(r[from:]), maxShownLine)
}

// nearChanges leaves out the agreeing lines that have no change beside them.
func nearChanges(lines []string) []string {
	changed := func(i int) bool { return i >= 0 && i < len(lines) && !strings.HasPrefix(lines[i], "    ") }
	var out []string
	for i, line := range lines {
		if changed(i-1) || changed(i) || changed(i+1) {
			out = append(out, line)
		}
	}
	return out
}

// merge is the actual lines with the comments and blanks of the old ones kept
// where they stood, and with {…} kept where it still fits.
func merge(old, actual []string, isGolden func(string) bool) []string {
	var golden []string
	for _, line := range old {
		if isGolden(line) {
			golden = append(golden, line)
		}
	}
	respaced := make([]string, len(golden))
	for i, line := range golden {
		respaced[i] = line
		if strings.HasPrefix(line, "<--") || strings.HasPrefix(line, "{") {
			respaced[i] = respaceLine(line)
		}
	}
	pairs := align(respaced, actual)
	at := map[int]int{} // golden index -> actual index
	for _, p := range pairs {
		at[p[0]] = p[1]
	}
	var out []string
	g, next := 0, 0
	for _, line := range old {
		if !isGolden(line) {
			// What the following golden lines no longer say is replaced behind the comment.
			out = append(out, line)
			continue
		}
		if j, kept := at[g]; kept {
			for ; next < j; next++ {
				out = append(out, actual[next])
			}
			if strings.HasSuffix(line, anything) {
				out = append(out, line)
			} else {
				out = append(out, actual[j])
			}
			next = j + 1
		}
		g++
	}
	// New lines at the end go before blanks and comments that follow the last one.
	cut := len(out)
	for cut > 0 && !isGolden(out[cut-1]) && g > 0 {
		cut--
	}
	if g == 0 {
		cut = 0
	}
	tail := append([]string(nil), out[cut:]...)
	out = append(out[:cut:cut], actual[next:]...)
	return append(out, tail...)
}

func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n]) + "…"
}
