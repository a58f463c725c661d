package surface

import (
	"fmt"
	"strings"
	"testing"
)

func TestMentioned(t *testing.T) {
	long := strings.Repeat("word ", 79) + "w" // 396 characters
	for line, want := range map[string]string{
		"@agent do it\n":                       "do it",
		"  // @agent\tdo it \r\n":              "do it",
		"<!-- @agent do it -->":                "do it",
		"/* @agent do it */":                   "do it",
		"\"@agent do it\"":                     "do it\"",
		"@agent do it, @agent":                 "do it, @agent",
		"@agent  do\u00a0 " + gap + "it":       "do it",
		"@agent d\u200bo\x00":                  "d<U+200B>o<U+0000>",
		"mail@agent do, then @agent do it":     "do it",
		"me@x.agent do it":                     "",
		"@@agent do it, a.@agent b, _@agent c": "",
		"@agents do it, @agent, @agent: do it": "",
		"@agent":                               "",
		"@agent \n":                            "",
		"@agent */":                            "",
		"@Agent do it":                         "",
		"@agent " + long:                       long,
		"@agent " + long + " and more":         "", // more than a title shows
		"":                                     "",
	} {
		if got := mentioned(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// gap would push what follows it out of a menu.
var gap = strings.Repeat(" ", 1000)

func TestMentionsIn(t *testing.T) {
	var text strings.Builder
	for n := range 20 {
		fmt.Fprintf(&text, "@agent %d\r\n", n)
	}
	for _, c := range []struct {
		first, last int
		want        string
	}{
		{3, 3, "[{3 3}]"}, {18, 25, "[{18 18} {19 19}]"}, {20, 30, "[]"}, {2, 1, "[]"},
		{0, 19, "[{0 0} {1 1} {2 2} {3 3} {4 4}]"}, // no menu of a whole file
	} {
		if got := fmt.Sprint(mentionsIn(text.String(), c.first, c.last)); got != c.want {
			t.Errorf("lines %d to %d: %s, want %s", c.first, c.last, got, c.want)
		}
	}
}

func TestWholePrompt(t *testing.T) {
	for _, c := range []struct{ uri, text, want string }{
		{"file:///w/a.prompt.md", "\ndo\r\n\tit\n", "do\n\tit"},
		{"file:///w/A.Prompt.MD", "do", "do"},
		{"file:///w/a.prompt.md", "d\u202eo", "d<U+202E>o"},
		{"file:///w/a.prompt.md", " \n", ""},
		{"file:///w/a.md", "do", ""},
		{"file:///w/prompt.md", "do", ""},
		{"file:///w/a.prompt.md", strings.Repeat("x", mostPromptFile+1), ""},
	} {
		if got := wholePrompt(c.uri, c.text); got != c.want {
			t.Errorf("%s %.20q: %q, want %q", c.uri, c.text, got, c.want)
		}
	}
}
