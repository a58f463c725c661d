package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// The prefilter never changes what matches: it is held against the regular
// expression alone, line by line.
func TestMatcherAgainstRegexp(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	words := []string{"foo", "bar", "Kelvin", "K", "ſ", "s", "S", "Ä", "\xff", "12", "_", " ", "é", "FOO", "\r", "b", "Ab", "o"}
	patterns := []string{
		"foo", "(?i)foo", "(?i)kelvin", "(?i)s", "foo|bar", "(foo|bar)+", "fo*", "^foo", "bar$", `\bfoo\b`, "f(oo)?", "[fb]oo", "(?i)ä", "é", ".*bar.*", "(?i:k)elvin", "x*",
		"foo.*bar", `\d{2}`, "foo\nbar", "\ufffd", "(foo|)bar", "(?i)foo|s", "(?:bar){2,3}", "(?:bar){0,1}foo", "a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r", "^$", "[[:upper:]]oo",
		"(?i)foos", "(?i)sfoo", "(?i)bark", "(?i)kbar", "(?i)bab", "bab", "oo", "(?i)oof", "(?i)foo|kbar|éb",
		`[A-Z]{3}`, `\d+`, `[0-9]{3}[a-z]`, `(?i)[a-k]{2}`, `[^a-z]{3}`, `[a-z]{2,}`, `([fb]|\d)[aeiou]+`, `(\w\d){2}`, `[[:upper:]]+[^\x00-\x7f]`, `\pL{4}`, `[a-f]?[0-9]`, `([a-z][a-z])*[0-9]`, `(\d{2})+`, `\W`, `[ſx]{2}`,
	}
	for _, p := range patterns {
		m, err := NewMatcher(p, false, false)
		if err != nil {
			t.Fatal(err)
		}
		re := regexp.MustCompile(p)
		for range 60 {
			var b strings.Builder
			for range rnd.IntN(40) {
				b.WriteString(words[rnd.IntN(len(words))])
				if rnd.IntN(4) == 0 {
					b.WriteByte('\n')
				}
			}
			text := b.String()
			var want, got []string
			lines := strings.Split(text, "\n")
			if lines[len(lines)-1] == "" {
				lines = lines[:len(lines)-1]
			}
			for i, l := range lines {
				l = strings.TrimSuffix(l, "\r")
				if loc := re.FindStringIndex(l); loc != nil {
					want = append(want, fmt.Sprintf("%d %q %v", i+1, l, loc))
				}
			}
			m.Each(context.Background(), []byte(text), true, func(l Line) bool {
				got = append(got, fmt.Sprintf("%d %q %v", l.No, text[l.Start:l.End], []int{l.MatchFrom - l.Start, l.MatchTo - l.Start}))
				return true
			})
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Fatalf("%q in %q:\ngot\n%s\nwant\n%s", p, text, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}
