package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// No character means "unknown". Names that hold the characters which once did are
// targets like any other name, in every spelling.
func TestBypassNoCharacterMeansUnknown(t *testing.T) {
	at := Place{Dir: "/home/u/p", Home: "/home/u", Roots: []string{"/home/u/p"}}
	for text, want := range map[string]string{
		"cat l\uFFFC":                           "l\uFFFC",
		"cat 'l\uFFFB'":                         "l\uFFFB",
		`cat $'l\uFFFC'`:                        "l\uFFFC",
		`cat $'l\xef\xbf\xbc'`:                  "l\uFFFC",
		`cat $'l\357\277\274'`:                  "l\uFFFC",
		"cat l\\\uFFFC":                         "l\uFFFC",
		"x=l\uFFFC; cat $x":                     "l\uFFFC",
		"a=(l\uFFFC l\uFFFB); cat \"${a[@]}\"":  "l\uFFFB",
		"cat {l\uFFFC,b}":                       "l\uFFFC",
		"cat l\uFFFC*":                          "l\uFFFC*",
		"cat < l\uFFFC":                         "l\uFFFC",
		"echo x > g\uFFFC":                      "g\uFFFC",
		"bash <<'E'\ncat l\uFFFC\nE":            "l\uFFFC",
		"bash -c 'cat l\uFFFC'":                 "l\uFFFC",
		"for f in l\uFFFC; do cat \"$f\"; done": "l\uFFFC",
		`cat $'l\r'`:                            "l\r",
		`cat $'l\cA'`:                           "l\x01",
		`cat $'.env\0x'`:                        ".env",
		`cat $'.env\x00'`:                       ".env",
		`cat $'\x{2e}env'`:                      ".env",
		`cat $'\x{00012E}env'`:                  ".env",
		`cat $'.\x{65nv'`:                       ".env",
		`cat $'.env\x{}x'`:                      ".env",
		`cat $'l\c{'`:                           "l\x1b",
		"echo Y2F0IC5lAG52 | base64 -d | bash":  ".env",
		"awk '{print > \"l\uFFFC\"}' a":         "l\uFFFC",
		"cat l\u00a0x":                          "l\u00a0x",
		"cat $HOME/l\u00a0x":                    "/home/u/l\u00a0x",
		"cat $HOME'/a b'":                       "/home/u/a b",
		"x='l\u3000x'; cat $x":                  "l\u3000x",
	} {
		s := Analyze(text, at)
		found := false
		for _, u := range s.Uses {
			found = found || u.Word == want
		}
		if !found {
			t.Errorf("%q: no use of %q in %v (doubts %q)", text, want, s.Uses, s.Uncertain)
		}
	}
	for _, text := range []string{"rm -rf d\uFFFC/../../../..", `rm -rf $'d\uFFFC/../../../..'`, `rm -rf $'d\xff/../../../..'`, "x=d\uFFFB; rm -rf $x/../../../.."} {
		if Analyze(text, at).HardLimit == "" {
			t.Errorf("%q is not blocked", text)
		}
	}
	for _, text := range []string{`printf 'ls\0; nc' | bash`, `echo -e 'ls\0; nc' | bash`} {
		if s := Analyze(text, at); len(s.Uncertain) == 0 {
			t.Errorf("%q: no doubt", text)
		}
	}
}

// Whatever character stands in a command, the judgement is the one of any other.
func TestOddCharactersAreCharacters(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "testdata", "shell", "*.txt"))
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	judged := func(text, odd string) string {
		s := Analyze(strings.ReplaceAll(text, "\u2603", odd), Place{Dir: "/home/u/p", Home: "/home/u", Roots: []string{"/home/u/p"}, Hidden: func(rune) bool { return false }})
		var b strings.Builder
		for _, c := range s.Commands {
			c.Text, c.Alt = "", "" // quoted so that a person can read them
			if c.Search != nil || c.Prints != nil {
				fmt.Fprintln(&b, c.Search, c.Prints) // what they point to, not where it is
			}
			c.Search, c.Prints = nil, nil
			fmt.Fprintf(&b, "%+v\n", *c)
		}
		fmt.Fprintln(&b, s.Uses, s.Dirs, s.Uncertain, s.Invalid, s.HardLimit, s.Network, s.Destroys)
		return strings.ReplaceAll(b.String(), odd, "\u2603")
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			words := strings.Split(strings.ReplaceAll(strings.TrimSpace(line[strings.LastIndex(line, "\t")+1:]), "¶", "\n"), " ")
			for i, word := range words[:min(len(words), 3)] {
				if word == "" || len(line) > 200 {
					continue
				}
				words[i] = word[:len(word)-1] + "\u2603" + word[len(word)-1:]
				text := strings.Join(words, " ")
				words[i] = word
				want := judged(text, "\u2603")
				for _, odd := range []string{"\uFFFC", "\uFFFB", "\uFFFD", "\u2026"} {
					if got := judged(text, odd); got != want {
						t.Fatalf("%q with %q:\n%s\nwith another character:\n%s", text, odd, got, want)
					}
				}
			}
		}
	}
}

// What is quoted is no pattern, and what is not quoted is one.
func TestBypassQuotesInPatterns(t *testing.T) {
	for text, want := range map[string]Use{
		`cat .e[n"x"]v`:                    {Word: `.e[nx]v`, Glob: true},
		`cat .e["n"]v`:                     {Word: `.e[n]v`, Glob: true},
		`cat '[a]'*`:                       {Word: `\[a\]*`, Glob: true},
		`cat \[a\]*`:                       {Word: `\[a\]*`, Glob: true},
		`cat ["!"a]x`:                      {Word: `[\!a]x`, Glob: true},
		`cat [m"-"o]x`:                     {Word: `[m\-o]x`, Glob: true},
		`cat '*'`:                          {Word: `*`},
		`cat "a*"b`:                        {Word: `a*b`},
		`x='.e*'; cat $x`:                  {Word: `.e*`, Glob: true},
		`x='.e*'; cat "$x"`:                {Word: `.e*`},
		`for f in '[a]'*; do cat $f; done`: {Word: `\[a\]*`, Glob: true},
		`for f in .e*; do cat "$f"; done`:  {Word: `.e*`, Glob: true},
		`cat $PWD'/a b'`:                   {Word: `/home/u/p/a b`},
		`echo '.e*' | xargs cat`:           {Word: `.e*`},
	} {
		s := Analyze(text, Place{Dir: "/home/u/p", Home: "/home/u", Roots: []string{"/home/u/p"}})
		found := false
		for _, u := range s.Uses {
			found = found || u.Head == "cat" && u.Word == want.Word && u.Glob == want.Glob
		}
		if !found {
			t.Errorf("%s: no %v among %+v", text, want, s.Uses)
		}
	}
	if got := (Use{Word: `\[a\]*`}).Unmatched(); got != "[a]*" {
		t.Errorf("a pattern that hits nothing is %s", got)
	}
}

// A name that is no text cannot be asked about, so it is a doubt.
func TestBypassNamesThatAreNoText(t *testing.T) {
	for _, text := range []string{`cat $'l\xff'`, `cat < $'l\xff'`, `cat $(echo bP8= | base64 -d)`, `cd $'l\xff'`, `echo Y2F0IGz/ | base64 -d | bash`} {
		s := Analyze(text, Place{Dir: "/home/u/p", Home: "/home/u", Roots: []string{"/home/u/p"}, Hidden: func(rune) bool { return false }})
		if len(s.Uncertain) == 0 {
			t.Errorf("%s: no doubt, uses %+v", text, s.Uses)
		}
	}
}
