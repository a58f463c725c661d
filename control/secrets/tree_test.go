package secrets

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// tree is what is found in a tree of source code.
type tree struct {
	files, bytes int
	took         time.Duration // of the search alone
	keys         map[string]int
	others       []string
}

// look searches every file of a tree that is text. Private keys, and tokens that can
// be decoded, are what they are whatever they are for: they are counted by file. What
// else is found is a false positive, until somebody has looked.
func look(t *testing.T, root string) tree {
	t.Helper()
	out := tree{keys: map[string]int{}}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil || bytes.IndexByte(raw[:min(len(raw), 8<<10)], 0) >= 0 {
			return err
		}
		out.files, out.bytes = out.files+1, out.bytes+len(raw)
		text := string(raw)
		began := time.Now()
		found := Shapes(text)
		out.took += time.Since(began)
		rel, _ := filepath.Rel(root, path)
		for _, f := range found {
			if f.Kind == "pem" || f.Kind == "jwt" {
				out.keys[rel]++
				continue
			}
			out.others = append(out.others, f.Kind+" "+rel+": "+text[max(0, f.Start-30):f.Start]+"⟦"+text[f.Start:min(f.End, f.Start+60)]+"⟧")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files, %.1f MB, searched in %v (%.0f MB/s); private keys and tokens in %d files, other finds %d",
		out.files, float64(out.bytes)/1e6, out.took.Round(time.Millisecond), float64(out.bytes)/1e6/out.took.Seconds(), len(out.keys), len(out.others))
	return out
}

// TestGoSource: nothing in Go's own sources passes for a secret but the private keys
// of its tests and examples.
func TestGoSource(t *testing.T) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	root := filepath.Join(strings.TrimSpace(string(goroot)), "src")
	if _, missing := os.Stat(filepath.Join(root, "fmt")); err != nil || missing != nil {
		t.Skip("not run: Go's own sources are not here")
	}
	look(t, root).onlyKeysOf(t, "_test.go", ".pem", "x509/x509_test_import.go", "testcert/testcert.go")
}

// TestNpmTree: the same of what a project in JavaScript installs. AGENT_NPM_TREE names
// another tree than the one of `make test-mcp`.
func TestNpmTree(t *testing.T) {
	root := os.Getenv("AGENT_NPM_TREE")
	if root == "" {
		root = filepath.Join("..", "..", "testclient", "mcp", "node_modules")
	}
	if _, err := os.Stat(root); err != nil {
		t.Skip("not run: there is no npm tree; make test-mcp installs one")
	}
	look(t, root).onlyKeysOf(t, ".test.js", ".test.ts", ".pem")
}

// onlyKeysOf holds that nothing was found but private keys in such files.
func (found tree) onlyKeysOf(t *testing.T, ends ...string) {
	t.Helper()
	for _, f := range found.others {
		t.Error(strings.ReplaceAll(f, "\n", "⏎"))
	}
	for _, f := range slices.Sorted(maps.Keys(found.keys)) {
		t.Logf("%s: %d lines of private keys and tokens", f, found.keys[f])
		if !slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(f, end) }) {
			t.Errorf("%s is none of %v", f, ends)
		}
	}
}
