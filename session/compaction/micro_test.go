package compaction

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

func TestShortenTo(t *testing.T) {
	four := slices.Concat(step("a", 9), step("b", 9), step("c", 9), step("d", 9))
	batch := []history.Body{calls("read", "a", "b", "c", "d"), returned("read", "a", "x"), returned("read", "b", "x"), returned("read", "c", "x"), returned("read", "d", "x")}
	for name, row := range map[string]struct {
		bodies []history.Body
		keep   int
		want   int64
	}{
		"nothing":                         {nil, 3, 0},
		"as many as are kept":             {four[:6], 3, 0},
		"one more":                        {four, 3, 2},
		"one more, and the model saw all": {append(slices.Clone(four), says("ok")), 3, 2},
		"none is kept, the last unseen":   {four, 0, 6},
		"none is kept, all seen":          {append(slices.Clone(four), says("ok")), 0, 8},
		"a batch that it has not seen":    {batch, 1, 0},
		"a batch that it has seen":        {append(slices.Clone(batch), says("ok")), 1, 4},
		"one of a batch is one":           {append(slices.Clone(batch), says("ok")), 3, 2},
	} {
		var m Micro
		m.Take(told(t, row.bodies...).Items, 0)
		m.Advance(row.keep, Bounds{}, 1, true, one)
		if got := m.UpTo(); got != row.want {
			t.Errorf("%s: up to %d, want %d", name, got, row.want)
		}
	}
}

// shortened is Short for a conversation.
func shortened(items []history.Item, upTo int64) (out []history.Item) {
	for i := range items {
		out = append(out, Short(&items[i], upTo))
	}
	return out
}

func TestShortened(t *testing.T) {
	long := "first\n" + strings.Repeat(".", 200)
	flat := strings.Repeat(".", 200)
	with := func(r history.ToolReturned) []history.Body {
		r.CallID, r.Status = "a", "completed"
		return []history.Body{calls(r.Tool, "a"), r, calls("read", "b"), returned("read", "b", long)}
	}
	for name, row := range map[string]struct {
		bodies []history.Body
		want   string
	}{
		"by name":              {with(history.ToolReturned{Tool: "grep", Text: "\n" + long}), "[executed: grep] first …|whole"},
		"and where it lies":    {with(history.ToolReturned{Tool: "bash", Text: long, Truncated: true, Artifact: &tool.ArtifactRef{Path: ".out/1.txt"}}), "[executed: bash] full output: .out/1.txt|whole"},
		"shorter than a name":  {with(history.ToolReturned{Tool: "grep", Text: "(nothing)"}), "(nothing)|whole"},
		"as long as the name":  {with(history.ToolReturned{Tool: "grep", Text: "[executed: grep)"}), "[executed: grep)|whole"},
		"a sub-agent's report": {with(history.ToolReturned{Tool: "task", Text: long}), "whole|whole"},
		"a plan":               {with(history.ToolReturned{Tool: "tasks_list", Text: long}), "whole|whole"},
		"what it wrote":        {with(history.ToolReturned{Tool: "write", Text: long}), "whole|whole"},
		"what it edited":       {with(history.ToolReturned{Tool: "edit", Text: long}), "whole|whole"},
		"what it moved":        {with(history.ToolReturned{Tool: "move", Text: long}), "whole|whole"},
		"what it deleted":      {with(history.ToolReturned{Tool: "delete", Text: long}), "whole|whole"},
		"a patch":              {with(history.ToolReturned{Tool: "apply_patch", Text: long}), "whole|whole"},
		"a skill":              {with(history.ToolReturned{Tool: "skill", Text: long}), "whole|whole"},
		"an image":             {with(history.ToolReturned{Tool: "read", Text: long, Images: []history.ImageRef{{}}}), "whole|whole"},
		"one JSON object":      {with(history.ToolReturned{Tool: "mcp__x__y", Text: ` {"a": "` + flat + `"}`}), "whole|whole"},
		"one JSON array":       {with(history.ToolReturned{Tool: "mcp__x__y", Text: `["` + flat + `"]`}), "whole|whole"},
		"JSON that goes on":    {with(history.ToolReturned{Tool: "bash", Text: `["` + long + `"] and more`}), "[executed: bash] [\"first …|whole"},
		"a preview is no JSON": {with(history.ToolReturned{Tool: "bash", Text: `{"_truncated": "` + long + `"}`, Truncated: true}), "[executed: bash] {\"_truncated\": \"first …|whole"},
		"a JSON word":          {with(history.ToolReturned{Tool: "bash", Text: `"` + long + `"`}), "[executed: bash] \"first …|whole"},
	} {
		live := told(t, row.bodies...).Items
		before := slices.Clone(live)
		got := shortened(live, 2)
		if results(got) != row.want {
			t.Errorf("%s: %s, want %s", name, results(got), row.want)
		}
		for i := range live {
			if live[i].Result != before[i].Result || live[i].Size != before[i].Size {
				t.Errorf("%s: it is not a copy", name)
			}
		}
		if got[1].Size != history.SizeOf(got[1].Result.Text).Framed(0) && got[1].Result.Images == nil {
			t.Errorf("%s: its size is that of another text", name)
		}
	}
}

func TestFirstLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		"ok":                          "ok",
		"\r\n ok\r\nmore":             "ok …",
		strings.Repeat("é", 60):       strings.Repeat("é", 60),
		strings.Repeat("é", 61):       strings.Repeat("é", 60) + " …",
		"a" + strings.Repeat("é", 60): "a" + strings.Repeat("é", 59) + " …",
	} {
		if got := firstLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A failed result that is shortened is not told to be an error of its name.
func TestShortenedFailure(t *testing.T) {
	failed := history.ToolReturned{CallID: "a", Tool: "bash", Status: "failed", Text: "no\n" + strings.Repeat("no ", 100)}
	items := told(t, calls("bash", "a"), failed, says("ok")).Items
	shown := history.Transcript{Shown: history.Shown{Items: shortened(items, 2)}}
	if got := shown.Messages(nil)[1].Text; got != "[executed: bash] no …" {
		t.Error(got)
	}
}

func TestAdvance(t *testing.T) {
	items := told(t, slices.Concat(step("a", 1016), step("b", 1016), step("c", 9), step("d", 9), step("e", 9))...).Items
	// Shortening a gains 875 bytes, a and b 1,750.
	for name, row := range map[string]struct {
		from, used int64
		b          Bounds
		force      bool
		want       int64
	}{
		"below the start":          {0, 4999, Bounds{Micro: 5000, Step: 1}, false, 0},
		"at the start":             {0, 5000, Bounds{Micro: 5000, Step: 1}, false, 0},
		"over the start":           {0, 5001, Bounds{Micro: 5000, Step: 1}, false, 4},
		"a step that gains enough": {0, 5001, Bounds{Micro: 5000, Step: 1750}, false, 4},
		"one that does not":        {0, 5001, Bounds{Micro: 5000, Step: 1751}, false, 0},
		"whatever it gains":        {0, 1, Bounds{Micro: 5000, Step: 1751}, true, 4},
		"from where it is":         {2, 5001, Bounds{Micro: 5000, Step: 875}, false, 4},
		"not enough from there":    {2, 5001, Bounds{Micro: 5000, Step: 876}, false, 2},
		"always":                   {0, 1, Bounds{Micro: 0, Step: 0}, false, 4},
		"never back":               {8, 9999, Bounds{Micro: 0, Step: 0}, true, 8},
		"nothing is gained":        {4, 9999, Bounds{Micro: 0, Step: 0}, true, 4},
	} {
		m := Micro{upTo: row.from}
		m.Take(items, 0)
		m.Advance(3, row.b, row.used, row.force, bytes)
		if got := m.UpTo(); got != row.want {
			t.Errorf("%s: up to %d, want %d", name, got, row.want)
		}
	}
}

// Layer one goes as far in a conversation that it has taken in step by step as in the
// whole of it, and looks at each item once.
func TestMicroGrows(t *testing.T) {
	for seed := range uint64(50) {
		dice := rand.New(rand.NewPCG(seed, 5))
		var grown Micro
		var bodies []history.Body
		for n := range 60 {
			if dice.IntN(3) == 0 {
				bodies = append(bodies, says("x"))
			}
			bodies = append(bodies, step(fmt.Sprint(n), dice.IntN(300))...)
			whole := told(t, bodies...).Items
			items := slices.Clone(whole)
			for i := range items[:grown.taken] {
				items[i] = history.Item{}
			}
			grown.Take(items, 0)
			grown.Advance(dice.IntN(5), Bounds{Micro: 1, Step: int64(dice.IntN(3000))}, int64(dice.IntN(3)), dice.IntN(9) == 0, bytes)
			anew := Micro{upTo: grown.upTo}
			if anew.Take(whole, 0); grown.seen != anew.seen || !slices.Equal(grown.behind, anew.behind) {
				t.Fatalf("seed %d, step %d: %+v\nanew %+v", seed, n, grown, anew)
			}
		}
	}
}
