package compaction

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// turnOf is a prompt, a step for each size, and an answer.
func turnOf(name string, sizes ...int) []history.Body {
	out := []history.Body{prompt(name)}
	for i, n := range sizes {
		out = append(out, step(name+string(rune('a'+i)), n)...)
	}
	return append(out, says("done"))
}

func TestPrune(t *testing.T) {
	empty := slices.Concat(turnOf("x"), turnOf("y"), turnOf("z"))
	small := Known{Window: 10_000, Trigger: 0.8}.Bounds()   // keeps 2,000, gains 800
	large := Known{Window: 1 << 20, Trigger: 0.8}.Bounds()  // keeps 40,000, gains 20,000
	middle := Known{Window: 104_096, Trigger: 0.8}.Bounds() // keeps 25,000, gains 10,000
	// A result of n bytes counts n + 40, and leaves 201 where n has three digits.
	for name, row := range map[string]struct {
		bodies []history.Body
		b      Bounds
		want   string
	}{
		"older than three turns":              {slices.Concat(turnOf("1", 3000), empty), small, "[1a]"},
		"in the last three":                   {slices.Concat(turnOf("1", 3000), empty[:4]), small, "[]"},
		"beyond what is kept, n":              {slices.Concat(turnOf("1", 1960), empty), small, "[]"},
		"beyond what is kept, n+1":            {slices.Concat(turnOf("1", 1961), empty), small, "[1a]"},
		"the newest count, wherever they are": {slices.Concat(turnOf("1", 1200), turnOf("x", 1960), turnOf("y"), turnOf("z")), small, "[1a]"},
		"only those beyond":                   {slices.Concat(turnOf("1", 1500, 1500, 1500), empty), small, "[1a 1b]"},
		"it would gain too little":            {slices.Concat(turnOf("1", 900, 1960), empty), small, "[]"},
		"it gains enough, n-1":                {slices.Concat(turnOf("1", 960, 1960), empty), small, "[]"},
		"it gains enough, n":                  {slices.Concat(turnOf("1", 961, 1960), empty), small, "[1a]"},
		"a large window keeps 40,000, n":      {slices.Concat(turnOf("1", 30_000, 39_960), empty), large, "[1a]"},
		"and the one that goes over":          {slices.Concat(turnOf("1", 30_000, 39_961), empty), large, "[1a 1b]"},
		"and must gain 20,000":                {slices.Concat(turnOf("1", 20_000, 39_960), empty), large, "[]"},
		"a quarter of a middle one":           {slices.Concat(turnOf("1", 10_200, 24_960), empty), middle, "[1a]"},
	} {
		got, gain := Prune(told(t, row.bodies...), 3, row.b, bytes)
		if ids(got) != row.want || (gain == 0) != (len(got) == 0) {
			t.Errorf("%s: %s gains %d, want %s", name, ids(got), gain, row.want)
		}
	}
}

// What is protected stays, and what has been pruned is not pruned again.
func TestPruneLeaves(t *testing.T) {
	b := Known{Window: 10_000, Trigger: 0.8}.Bounds()
	long := strings.Repeat(".", 3000)
	rest := slices.Concat(turnOf("x"), turnOf("y"), turnOf("z"))
	for name, r := range map[string]history.ToolReturned{
		"task": {Tool: "task", Text: long}, "write": {Tool: "write", Text: long}, "tasks_update": {Tool: "tasks_update", Text: long},
		"image": {Tool: "read", Text: long, Images: []history.ImageRef{{}}}, "structured": {Tool: "m", Text: `["` + long + `"]`},
	} {
		r.CallID, r.Status = "a", "completed"
		live := told(t, slices.Concat([]history.Body{prompt("1"), calls(r.Tool, "a"), r}, rest)...)
		if got, _ := Prune(live, 3, b, bytes); got != nil {
			t.Errorf("%s is pruned", name)
		}
	}
	once := slices.Concat([]history.Body{prompt("1")}, step("a", 3000), rest)
	live := told(t, append(once, history.ContextPruned{CallIDs: []string{"a"}})...)
	if got, _ := Prune(live, 3, b, bytes); got != nil || !live.Items[2].Pruned {
		t.Error("pruned twice")
	}
}
