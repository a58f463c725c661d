//go:build linux && (amd64 || arm64)

package main

import (
	"flag"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Scripts that somebody allowed with everyday rules are run, and the kernel says
// what they touched. None may read what is sensitive or lies outside, change what is
// protected or lies outside, or start what no rule names: where the program cannot
// know that it does not, it has to ask.

var (
	tracedScripts = flag.Int("traced", 400, "random scripts to judge and run")
	tracedSeed    = flag.Uint64("traced.seed", 1, "of the first random script")
	tracedFor     = flag.Duration("traced.for", 0, "run random scripts for so long, from a seed by chance, instead of a number of them")
)

// mostFindings is after how many a run with random scripts ends.
const mostFindings = 10

// TestTraced judges and runs random scripts.
func TestTraced(t *testing.T) {
	w := newTraced(t)
	classes := knownClasses(t)
	seed, more := *tracedSeed, func(done int) bool { return done < *tracedScripts }
	if *tracedFor > 0 {
		seed = rand.Uint64()
		end := time.Now().Add(*tracedFor)
		more = func(int) bool { return time.Now().Before(end) }
	}
	done, ran, known, found := 0, 0, 0, 0
	for ; more(done) && found < mostFindings; done++ {
		script := newScribe(seed+uint64(done), w.root).script()
		what, did := w.try(t, script)
		if did {
			ran++
		}
		switch {
		case what == "":
		case slices.ContainsFunc(classes, func(c knownClass) bool { return c.has(what, script) }):
			known++
		default:
			found++
			small := w.smaller(t, script)
			if what, _ = w.try(t, small); what == "" {
				what = "does not always do the same, and once did what it must not"
			}
			t.Errorf("nobody was asked, and it %s:\n\t%s\nfound with -traced.seed %d -traced 1", what, w.quoted(small), seed+uint64(done))
		}
	}
	t.Logf("%d random scripts from seed %d, %d allowed and run, %d findings, %d of known classes", done, seed, ran, found, known)
	if *tracedScripts > 100 && ran*10 < done {
		t.Errorf("only %d of %d scripts were allowed: this looks at nothing", ran, done)
	}
}

// TestTracedKept judges and runs the scripts that were kept, most of them because
// they once did what nobody had allowed.
func TestTracedKept(t *testing.T) {
	w := newTraced(t)
	classes := knownClasses(t)
	open := map[string]bool{}
	for _, k := range keptScripts(t, w.root) {
		if w.repository == "" && strings.Contains(k.script, "git ") {
			continue
		}
		what, ran := w.try(t, k.script)
		class := slices.IndexFunc(classes, func(c knownClass) bool { return c.has(what, k.script) })
		switch {
		case what != "" && class >= 0:
			open[classes[class].name] = true
			t.Logf("line %d: known: %s: it %s: %s", k.line, classes[class].name, what, w.quoted(k.script))
		case what != "":
			t.Errorf("line %d: nobody was asked, and it %s:\n\t%s", k.line, what, w.quoted(k.script))
		case k.runs != ran:
			d, _ := w.decide(t, k.script)
			t.Errorf("line %d: %v, want that it runs: %v\n\t%s\n%s", k.line, d.Verdict, k.runs, w.quoted(k.script), d.Reason)
		}
	}
	for _, c := range classes {
		if !open[c.name] {
			t.Errorf("no kept script shows any more that %q is open: take its line out of %s", c.name, knownFile)
		}
	}
}

// Each row is what a script does that is run without being judged, and what is wrong
// with it: a tracer that sees nothing would find nothing.
func TestTracedSees(t *testing.T) {
	w := newTraced(t)
	for script, want := range map[string]string{
		"cat a.txt link.txt d/x.txt":                "",
		"ls -l .env; [ -r .env ]":                   "",
		"cat .env":                                  "reads work/.env",
		"cat < docs/../near.txt":                    "reads outside/near.txt",
		"cat up/near.txt":                           "reads near.txt",
		"cat /dev/fd/../cwd/.env":                   "reads work/.env",
		"cat twin.txt":                              "reads work/.env",
		"cat x\ufffcy/near.txt":                     "reads outside/near.txt",
		"grep -d rec KEY conf":                      "reads work/conf/credentials.json",
		"cat .[[:alpha:]]nv":                        "reads work/.env",
		"cp a.txt n; mv n .env.local":               "writes work/.env.local",
		"echo x >.git/config":                       "writes work/.git/config",
		"rm .git/config":                            "writes work/.git/config",
		"echo x >>docs/new":                         "writes outside/docs/new",
		"rm ../near.txt":                            "writes near.txt",
		"ls docs":                                   "reads outside/docs",
		"chmod +x run.sh; ./run.sh":                 "runs work/run.sh",
		"docs/../run.sh":                            "runs outside/run.sh",
		"xargs cat </dev/null":                      "runs xargs",
		"cat /proc/self/environ >/dev/null":         "reads /proc/self/environ",
		"mkdir -p n && cd n && cat ../e":            "reads work/.env",
		"mkdir -p .git; touch -h .vscode":           "",
		"exec 5<src; cat /dev/fd/5/../near.txt":     "",
		"exec 5<d; cat /dev/fd/5/../../e":           "reads work/.env",
		"echo KEY | grep -f /dev/stdin a.txt":       "",
		"cat <<E\n$(<a.txt)\nE":                     "",
		"truncate -s 0 nothing.env; rm -f gone.env": "writes work/nothing.env",
	} {
		got := ""
		for _, e := range w.run(t, script).Events {
			if got = w.trespasses(e); got != "" {
				break
			}
		}
		if number.ReplaceAllString(got, "/proc/self") != want {
			t.Errorf("%s\ngot  %q\nwant %q", script, got, want)
		}
	}
}

var number = regexp.MustCompile(`/proc/\d+`)

// quoted is a script as it stands in the file of those that are kept.
func (w *traced) quoted(script string) string {
	return strconv.Quote(strings.ReplaceAll(script, w.root, "ROOT"))
}

// kept is one script of the file, and whether it may run unasked.
type kept struct {
	line   int
	runs   bool
	script string
}

const (
	keptFile  = "testdata/traced.txt"
	knownFile = "testdata/traced_known.txt"
)

func keptScripts(t *testing.T, root string) []kept {
	t.Helper()
	var all []kept
	for n, line := range linesOf(t, keptFile) {
		if line == "" {
			continue
		}
		outcome, text, _ := strings.Cut(line, "\t")
		script, err := strconv.Unquote(strings.TrimSpace(text))
		if err != nil || outcome != "runs" && outcome != "asks" {
			t.Fatalf("%s:%d: %s", keptFile, n+1, line)
		}
		all = append(all, kept{n + 1, outcome == "runs", strings.ReplaceAll(script, "ROOT", root)})
	}
	return all
}

// knownClass is a way around the rules that is known and not mended yet. Of two that
// fit, the first one in the file counts.
type knownClass struct {
	name    string
	pattern *regexp.Regexp
}

// has says that what a script did is of the class.
func (c knownClass) has(what, script string) bool {
	return what != "" && c.pattern.MatchString(what+": "+script)
}

func knownClasses(t *testing.T) []knownClass {
	t.Helper()
	var all []knownClass
	for n, line := range linesOf(t, knownFile) {
		if line == "" {
			continue
		}
		name, pattern, ok := strings.Cut(line, "\t")
		if !ok {
			t.Fatalf("%s:%d: %s", knownFile, n+1, line)
		}
		all = append(all, knownClass{name, regexp.MustCompile(strings.TrimSpace(pattern))})
	}
	return all
}

// linesOf are the lines of a file, of which comments are left empty.
func linesOf(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(string(text), "\n")
	for i, line := range all {
		if strings.HasPrefix(line, "#") {
			all[i] = ""
		}
	}
	return all
}
