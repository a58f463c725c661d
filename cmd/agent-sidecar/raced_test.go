package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestRacedPackages holds that CI runs each package that starts goroutines under the race detector,
// but for the two that make soak runs so.
func TestRacedPackages(t *testing.T) {
	script, err := os.ReadFile(filepath.Join(top, ".ci", "race"))
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?m)^raced="(.*)"$`).FindSubmatch(script)
	if list == nil {
		t.Fatal(".ci/race has no list")
	}
	for file := range goroutines {
		dir := "./" + filepath.ToSlash(filepath.Dir(file))
		if strings.HasPrefix(dir, "./cmd/") || dir == "./workspace" { // too slow with it
			continue
		}
		covered := func(pattern string) bool {
			above, below := strings.CutSuffix(pattern, "/...")
			return dir == pattern || below && (dir == above || strings.HasPrefix(dir, above+"/"))
		}
		if !slices.ContainsFunc(strings.Fields(string(list[1])), covered) {
			t.Errorf("%s starts goroutines, and .ci/race does not run the tests of %s", file, dir)
		}
	}
}
