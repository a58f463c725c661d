package shell

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Texts that are built to take long. Each is read in the time of a plain text of
// its length, more or less: nothing grows with the power of its nesting.
func TestShellWorkIsBounded(t *testing.T) {
	rep := strings.Repeat
	for name, text := range map[string]string{
		"nested substitutions": rep("echo $(", 1000) + "x" + rep(")", 1000),
		"many substitutions":   rep("echo $(a);", 1000),
		"braces":               "echo " + rep("{a,b}", 2000),
		"nested braces":        "echo " + rep("{a,", 2500) + rep("}", 2500),
		"subshells":            rep("(", 4000) + "a" + rep(")", 4000),
		"values":               rep("x=a;y=b;x=c;y=d;", 40) + rep("cat $x$y;", 1000),
		"doubling":             "x=a;" + rep("x=$x$x;", 1400),
		"appending":            rep("a+=(x);", 1400),
		"evals":                rep("eval ", 1990) + "a",
		"directories":          rep("cd a||cd b;", 900),
		"quotes":               rep(`"$(`, 800) + "x" + rep(`)"`, 800),
		"pipes":                "echo x|" + rep("cat|", 2400) + "cat",
		"parts":                "cat " + rep(`\\a$x`, 1200) + " <<-E\n" + rep("$x\n", 1000) + "E",
		"defaults":             "echo " + rep("${x:-", 1500) + "a" + rep("}", 1500),
	} {
		t.Run(name, func(t *testing.T) {
			allocations := testing.AllocsPerRun(1, func() { Analyze(text, Place{Dir: "/home/u/p", Home: "/home/u", Roots: []string{"/home/u/p"}}) })
			if allocations > 1_000_000 {
				t.Errorf("%.0f allocations for %d characters", allocations, len(text))
			}
		})
	}
}

// The list of what only looks like a hard limit (control judges it) is worth
// something as long as most of it does look so.
func TestLookalikesLookDangerous(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "testdata", "shell", "lookalikes.txt"))
	if err != nil {
		t.Fatal(err)
	}
	dangerous := 0
	for line := range strings.Lines(string(b)) {
		if _, text, _ := strings.Cut(line, "\t"); mayBeHard().MatchString(text) {
			dangerous++
		}
	}
	if dangerous < 100 {
		t.Errorf("only %d rows look dangerous", dangerous)
	}
}
