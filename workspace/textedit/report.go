package textedit

import (
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

const (
	reportLines = 20      // of the closest window
	reportWidth = 200     // characters of each
	reportBytes = 4 << 20 // of a file that is compared line by line
	reportSame  = 16      // equal lines of the old text that are looked at
)

// missing says why old was not found, as far as that can be told. what names it.
func missing(s *source, old, new, what string) string {
	if bare, ok := withoutNumbers(old); ok {
		if m, err := climb(s, bare, "", true); err == nil && m.spans != nil {
			return what + " not in the file with the line numbers that read puts in front (`12: `); leave them out of the old and the new text"
		}
	}
	why := nearest(s.text, old, what)
	if strings.TrimSpace(new) != "" && len(new) >= minApplied {
		if m, err := climb(s, new, "", true); err == nil && len(m.spans) == 1 {
			why += "\nWhat should come stands there already, from line " + linesOf(s.text, m.spans) + " on: the change may have been made before"
		}
	}
	return why
}

// minApplied is how long a new text must be, in bytes, for its being there to say
// anything.
const minApplied = 12

var lineNumber = lazy.Regexp(`(?m)^[ \t]*\d{1,9}(: |:$|\t|→|\| ?)`)

// withoutNumbers takes line numbers off old where every line has one.
func withoutNumbers(old string) (string, bool) {
	lines := strings.Split(strings.TrimSuffix(unixEnds(old), "\n"), "\n")
	for i, l := range lines {
		at := lineNumber().FindStringIndex(l)
		if at == nil {
			return "", false
		}
		lines[i] = l[at[1]:]
	}
	return strings.Join(lines, "\n"), true
}

// nearest says that old was not found, and shows the lines of the file that
// have most in common with it: a person or model can then see what differs. It
// only reports; nothing is ever replaced by likeness.
func nearest(text, old, what string) string {
	no := what + " not in the file"
	if len(text) > reportBytes {
		return no + "; read the part again and copy it exactly"
	}
	have := strings.Split(unixEnds(text), "\n")
	want := strings.Split(strings.TrimSuffix(unixEnds(old), "\n"), "\n")
	at, score := bestWindow(have, want)
	if score == 0 {
		return no + ", and nothing in it is alike; read it again, it may be another file"
	}
	end := min(at+len(want), len(have))
	var b strings.Builder
	fmt.Fprintf(&b, "%s. The closest lines are %d-%d; compare them with what you sent:\n", no, at+1, end)
	for i := at; i < end; i++ {
		if i-at == reportLines {
			fmt.Fprintf(&b, "  … %d more lines\n", end-i)
			break
		}
		fmt.Fprintf(&b, "  %d: %s\n", i+1, tool.CutLine(have[i], reportWidth))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// bestWindow is the run of len(want) lines that shares most lines with want,
// and how good it is. Equal lines count 100 each, 1 where they are as short as a
// bracket; where no line is equal the words of the first line that says something
// decide, in upper or lower case.
func bestWindow(have, want []string) (at, score int) {
	index := map[string][]int{}
	for j, w := range want {
		if w = squeeze(w); w != "" && len(index[w]) < reportSame {
			index[w] = append(index[w], j)
		}
	}
	votes := map[int]int{}
	for i, h := range have {
		h = squeeze(h)
		worth := 100
		if len(h) <= 2 {
			worth = 1
		}
		for _, j := range index[h] {
			if votes[max(i-j, 0)] += worth; votes[max(i-j, 0)] > score {
				at, score = max(i-j, 0), votes[max(i-j, 0)]
			}
		}
	}
	if score > 0 {
		return at, score
	}
	for j, w := range want {
		words := wordsOf(w)
		if len(words) == 0 {
			continue
		}
		for i, h := range have {
			n := 0
			h = strings.ToLower(h)
			for word := range words {
				if strings.Contains(h, word) {
					n += len(word)
				}
			}
			if n > score {
				at, score = max(i-j, 0), n
			}
		}
		return at, score
	}
	return 0, 0
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

var wordPattern = lazy.Regexp(`[\pL\pN_]{3,}`)

func wordsOf(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range wordPattern().FindAllString(strings.ToLower(s), 20) {
		out[w] = true
	}
	return out
}

// A placeholder is a line that is only a comment or bracket with an ellipsis and
// words like "rest of code": what a model writes instead of the code that it
// would delete.
var (
	placeholderMarker = lazy.Regexp("^(//+|#+|--+|/\\*+|<!--|;+|%+|\\{\\s*/\\*|\\*|[(\\[<{])")
	placeholderWords  = lazy.Regexp(`(?i)\b(rest of|remaining|remainder of|existing|unchanged|same as|as before|previous|other)\b.*\b(code|file|content|contents|function|functions|method|methods|implementation|class|lines|logic|imports|body|before|above|here)\b|\b(unchanged|as before|omitted)\b`)
)

// Placeholder refuses new text with a line that stands for code left out. A
// line that the file has already is its own.
func Placeholder(text, new string) error {
	for line := range strings.SplitSeq(unixEnds(new), "\n") {
		bare := strings.TrimSpace(line)
		if isPlaceholder(bare) && !strings.Contains(text, bare) {
			return fmt.Errorf("the new text contains the placeholder %q; write out the code it stands for", tool.CutLine(bare, 80))
		}
	}
	return nil
}

func isPlaceholder(line string) bool {
	line = strings.ReplaceAll(line, "…", "...")
	if !strings.Contains(line, "...") || !placeholderWords().MatchString(line) {
		return false
	}
	inside := strings.TrimSpace(placeholderMarker().ReplaceAllString(line, ""))
	if strings.HasPrefix(inside, "...") {
		return true
	}
	return inside != line && strings.HasSuffix(strings.TrimRight(inside, " */->)]}"), "...")
}
