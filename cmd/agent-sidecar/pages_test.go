package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mostFirst is how many lines a page for users may have before its reference: what a
// person needs to know, and one example.
const mostFirst = 30

// TestPagesBeginWithWhatMatters: a page for users says first what a person needs to know,
// with an example, and the exact rules below. It never sends a reader to the sources.
func TestPagesBeginWithWhatMatters(t *testing.T) {
	pages, err := filepath.Glob(top + "/docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal("no pages", err)
	}
	for _, page := range pages {
		name := strings.TrimPrefix(filepath.ToSlash(page), top+"/")
		if name == "docs/rough_edges.md" { // for people who change the code
			continue
		}
		for _, problem := range pageProblems(treeFile(name)) {
			t.Errorf("%s: %s", name, problem)
		}
	}
}

var (
	anExample  = regexp.MustCompile("(?m)^(```|    \\S|\\| )")
	sourceFile = regexp.MustCompile(`\b[\w./-]+\.(go|ts|mjs|lua|script)\b`)
)

func pageProblems(text string) (problems []string) {
	first, rest, ok := strings.Cut(text, "\n## Reference\n")
	switch {
	case !ok || strings.TrimSpace(rest) == "":
		problems = append(problems, `has no "## Reference"`)
	case strings.Count(first, "\n") > mostFirst:
		problems = append(problems, "the reference comes too late")
	case !anExample.MatchString(first):
		problems = append(problems, "begins without an example")
	}
	for _, m := range sourceFile.FindAllString(text, -1) {
		if treeFile(m) != "" {
			problems = append(problems, "names the source file "+m)
		}
	}
	return problems
}

// TestPageProblems: each fault of a page is found.
func TestPageProblems(t *testing.T) {
	good := "# A page\n\nSay this:\n\n    agent-sidecar run\n\n## Reference\n\nAll of `a.go`.\n"
	for text, want := range map[string]string{
		good: "",
		strings.Replace(good, "## Reference\n", "## More\n", 1):               `has no "## Reference"`,
		strings.Replace(good, "    agent-sidecar run\n", "", 1):               "begins without an example",
		strings.Replace(good, "Say this", strings.Repeat("\n", mostFirst), 1): "the reference comes too late",
		strings.Replace(good, "a.go", "control/decision.go", 1):               "names the source file control/decision.go",
	} {
		if got := strings.Join(pageProblems(text), "; "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
