package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

const (
	commandGoal  = 1.2 // × the same in a small repository
	commandRuns  = 31
	commandFirst = 11 // what comes before reads the files for the first time
	smallFiles   = 200
)

// BenchmarkCommand is what a command costs in a tree of 62,000 files beside one of
// 200: nothing in it depends on the size of the tree, and what it has changed is found
// at a cost that follows what that was. The two run in turns.
func BenchmarkCommand(b *testing.B) {
	large := os.Getenv("BENCH_TREE") // set: grown by an earlier run
	if large == "" {
		large = b.TempDir()
		growTree(b, large)
	}
	small := b.TempDir()
	for i := range smallFiles {
		at := filepath.Join(small, fmt.Sprintf("d%d", i%20), fmt.Sprintf("f%d.go", i))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(at, make([]byte, 3000), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for _, row := range []struct{ what, command string }{
		{"that changes nothing", "true"},
		{"that changes one file", "echo x >> changed.txt"},
	} {
		b.Run(row.what, func(b *testing.B) {
			var trees [2]commandTree
			for i, dir := range []string{small, large} {
				trees[i].open(b, dir, row.command)
			}
			for n := range commandRuns {
				for i := range trees {
					trees[i].once(n)
				}
			}
			for _, what := range []struct {
				name string
				of   func(t *commandTree) []time.Duration
			}{{"wall", func(t *commandTree) []time.Duration { return t.wall }}, {"processor", func(t *commandTree) []time.Duration { return t.work }}} {
				little, much := median(what.of(&trees[0])), median(what.of(&trees[1]))
				aimed(b, "a command "+row.what+" in 62,000 files, "+what.name, ms(much)/ms(little), commandGoal, "×"+what.name,
					fmt.Sprintf("%.2f ms, in %d files %.2f", ms(much), smallFiles, ms(little)))
			}
		})
	}
}

// commandTree is a sidecar in one tree.
type commandTree struct {
	e          *editor
	m          *instant
	session    string
	wall, work []time.Duration
}

func (t *commandTree) open(b *testing.B, dir, command string) {
	t.m = newInstant(b, func(n int) []string {
		if n%2 == 1 {
			return []string{text("Done.")}
		}
		return []string{call(n, "bash", fmt.Sprintf(`{"command": %q, "description": "run"}`, command))}
	})
	t.e = openEditorIn(b, dir, t.m.url, `{"domain": "bash", "pattern": "*", "decision": "allow"}`)
	t.m.work = t.e.processor
}

// once runs one prompt, which is one command, and keeps what came between the model's
// call and its next request.
func (t *commandTree) once(n int) {
	t.session = t.e.prompt(t.session, "run it", nil)
	if last := len(t.m.came) - 1; n >= commandFirst {
		t.wall = append(t.wall, t.m.came[last].Sub(t.m.left[last-1]))
		t.work = append(t.work, t.m.worked[last]-t.m.worked[last-1])
	}
}
