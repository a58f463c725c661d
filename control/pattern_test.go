package control

import (
	"fmt"
	"strings"
	"testing"
)

// Bypass: the settings of a repository may hold rules that ask. With braces whose
// combinations are all tried, one of them kept every decision busy for minutes.
func TestBracesAreBounded(t *testing.T) {
	group := func(n int) string {
		var alternatives []string
		for i := range n {
			alternatives = append(alternatives, strings.Repeat("a", i+1))
		}
		return "{" + strings.Join(alternatives, ",") + "}"
	}
	for pattern, want := range map[string]int{
		"a": 1, "{a,b}": 2, "{a,b}{c,d}": 4, "{a,{b,c}}": 3, "{a,{b,c}{d,e}}": 5, `\{a,b\}{c,d}`: 2, "{a}": 1, "{,a}": 2,
		group(10) + group(10) + group(10):                    1000,
		group(10) + group(10) + group(10) + "{x,y}":          maxCombinations + 1,
		strings.Repeat(group(20), 6):                         maxCombinations + 1,
		"{" + strings.Repeat("x,", maxCombinations-1) + "y}": maxCombinations,
		"{" + strings.Repeat("x,", maxCombinations) + "y}":   maxCombinations + 1,
	} {
		if got := combinations(pattern); got != want {
			t.Errorf("%.40s: %d, want %d", pattern, got, want)
		}
	}
	o := newObject("vault:/" + strings.Repeat("a", 200) + "c")
	for n := 2; n <= 24; n++ {
		p, err := compilePattern(rule("read", strings.Repeat(group(n), 6)+"b", "ask"))
		if err != nil {
			if n <= 3 {
				t.Errorf("%d: %v", n, err)
			}
			continue
		}
		if n > 3 {
			t.Errorf("%d to the sixth is taken", n)
		}
		p.need = ""
		p.match(o, true)
	}
}

// Repeated " *" at the end says what one says: the bare command, or anything
// behind it.
func TestTrailingWords(t *testing.T) {
	for pattern, matches := range map[string]map[string]bool{
		"make *":     {"make": true, "make x": true, "make x y": true, "maker": false},
		"make * *":   {"make": true, "make x": true, "make x y": true, "maker": false},
		"make * * *": {"make": true, "make x y z w": true, "mak": false},
		"* *":        {"make": true, "make x": true},
	} {
		p, err := compilePattern(rule("bash", pattern, "deny"))
		if err != nil {
			t.Fatal(err)
		}
		for command, want := range matches {
			if p.match(newObject("shell:"+command), true) != want {
				t.Errorf("%q on %q", pattern, command)
			}
		}
	}
	p, err := compilePattern(rule("bash", strings.Repeat("*a", 1000)+strings.Repeat(" *", 1000), "deny"))
	if err != nil {
		t.Fatal(err)
	}
	long := newObject(fmt.Sprintf("shell:%sb", strings.Repeat("a", 9000)))
	p.match(long, true) // if each star tried every place, this would not end
}
