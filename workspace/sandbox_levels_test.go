//go:build linux

package workspace

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/testclient/sample"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// probed are the levels of the sandbox by the names of their tests, and what this machine
// says to each. Asking starts a sandbox for each, so it is done once.
var probed = sync.OnceValues(func() (works map[string]sandbox.Level, not map[string]error) {
	works, not = map[string]sandbox.Level{}, map[string]error{}
	all := map[string]sandbox.Level{
		"bubblewrap": {Name: proc.Namespaces, Bubblewrap: "not installed"}, "namespaces": {Name: proc.Namespaces}, "landlock": {Name: proc.Landlock},
	}
	if path := sandbox.Bubblewrap(); path != "" {
		all["bubblewrap"] = sandbox.Level{Name: proc.Namespaces, Bubblewrap: path}
	}
	for name, l := range all {
		if err := sandbox.Probe(l); err != nil {
			not[name] = err
		} else {
			works[name] = l
		}
	}
	return works, not
})

// workingLevels are the levels that this machine can show, by the names of their tests.
// What it cannot is said by name.
func workingLevels(t testing.TB) map[string]sandbox.Level {
	t.Helper()
	works, not := probed()
	for name, err := range not {
		t.Logf("not run: sandbox level %s: %v", name, err)
	}
	return maps.Clone(works)
}

// usualLevel is the best one of this machine: the one that people have here.
func usualLevel() string {
	works, _ := probed()
	for _, name := range []string{"namespaces", "bubblewrap", "landlock"} {
		if _, ok := works[name]; ok {
			return name
		}
	}
	return ""
}

// oneOfLevels is how many tests there are for one that tries a level that is not the usual
// one, without -thorough.
const oneOfLevels = 3

// levelsHere are the levels that a test tries: the usual one, and of the others that this
// machine can show some, by chance, and each with -thorough.
func levelsHere(t testing.TB) map[string]sandbox.Level {
	t.Helper()
	levels, seed := workingLevels(t), sample.Seed(t)
	maps.DeleteFunc(levels, func(name string, _ sandbox.Level) bool {
		return name != usualLevel() && !sample.Chosen(seed, oneOfLevels, t.Name(), name)
	})
	t.Logf("AGENT_SIDECAR_SEED=%d: sandbox levels %q", seed, slices.Sorted(maps.Keys(levels)))
	return levels
}

// oneOfRows is how many rows of a table there are for one that is tried without -thorough
// at a level that is not the usual one.
const oneOfRows = 4

// rows are the rows of one table that are tried. At the level that people have, each is;
// at the others a part is, by chance, and each with -thorough.
type rows struct {
	seed  uint64
	usual string
}

// rowsHere chooses for one test, and logs the seed.
func rowsHere(t *testing.T) rows {
	t.Helper()
	r := rows{seed: sample.Seed(t), usual: usualLevel()}
	t.Logf("AGENT_SIDECAR_SEED=%d: one row of %d but at level %s", r.seed, oneOfRows, r.usual)
	return r
}

// tried says whether a row is tried at a level.
func (r rows) tried(level, row string) bool {
	return level == r.usual || sample.Chosen(r.seed, oneOfRows, level, row)
}
