package compaction

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Where a summary cuts: the last three turns, fewer, the last steps of a turn
// too big alone; never between a call and its result.
func TestCut(t *testing.T) {
	turn := func(name string, bytes int) []history.Body {
		return []history.Body{prompt(name), says(strings.Repeat(".", bytes))}
	}
	big := slices.Concat([]history.Body{prompt("1")}, step("a", 900), step("b", 900), step("c", 900))
	steered := slices.Concat([]history.Body{prompt("1"), calls("read", "a"), history.UserMessage{Content: history.Text("mind b"), Steering: true}, returned("read", "a", strings.Repeat(".", 900))}, step("b", 9))
	for name, row := range map[string]struct {
		bodies []history.Body
		c      Cutting
		want   string
	}{
		"the last three fit":              {slices.Concat(turn("1", 9), turn("2", 9), turn("3", 9), turn("4", 9)), Cutting{Turns: 3, Budget: 500}, "2"},
		"only two of them":                {slices.Concat(turn("1", 9), turn("2", 900), turn("3", 9), turn("4", 9)), Cutting{Turns: 3, Budget: 500}, "3"},
		"only the last":                   {slices.Concat(turn("1", 9), turn("2", 9), turn("3", 900), turn("4", 9)), Cutting{Turns: 3, Budget: 500}, "4"},
		"three turns, of which two stay":  {slices.Concat(turn("1", 900), turn("2", 9), turn("3", 9)), Cutting{Turns: 3, Budget: 500}, "2"},
		"as large as may be":              {slices.Concat(turn("1", 9), turn("2", 9)), Cutting{Turns: 3, Budget: 90}, "2"},
		"one byte larger is a step alone": {slices.Concat(turn("1", 9), turn("2", 9)), Cutting{Turns: 3, Budget: 89}, "an answer"},
		"one turn too big alone":          {big, Cutting{Turns: 3, Budget: 2300}, "calls b"},
		"its last step":                   {big, Cutting{Turns: 3, Budget: 1100}, "calls c"},
		"its last step, however big":      {big, Cutting{Turns: 3, Budget: 1}, "calls c"},
		"one step":                        {big[:3], Cutting{Turns: 3, Budget: 1}, "calls a"},
		"steering stays with its batch":   {steered, Cutting{Turns: 3, Budget: 500}, "calls b"},
		"a prompt alone":                  {turn("1", 9)[:1], Cutting{Turns: 3, Budget: 1}, "nothing"},
		"nothing at all":                  {nil, Cutting{Turns: 3, Budget: 1}, "nothing"},
		"asked for, four turns":           {slices.Concat(turn("1", 9), turn("2", 9), turn("3", 9), turn("4", 9)), Cutting{Turns: 3, Budget: 9, Willing: true, Full: 9}, "2"},
		"asked for, three turns":          {slices.Concat(turn("1", 9), turn("2", 9), turn("3", 9)), Cutting{Turns: 3, Budget: 9, Willing: true, Full: 900}, "nothing"},
		"asked for, three, all too big":   {slices.Concat(turn("1", 9), turn("2", 9), turn("3", 9)), Cutting{Turns: 3, Budget: 150, Willing: true, Full: 269}, "3"},
		"asked for, nothing at all":       {nil, Cutting{Turns: 3, Willing: true}, "nothing"},
	} {
		live := told(t, row.bodies...)
		got := "nothing"
		if k := Cut(live, row.c, bytes); k > 0 {
			switch it := live.Items[k]; {
			case it.Answer != nil && len(it.Answer.Calls) > 0:
				got = "calls " + it.Answer.Calls[0].CallID
			case it.Answer != nil:
				got = "an answer"
			case it.Result != nil:
				got = "result " + it.Result.CallID
			default:
				got = history.TextOf(it.Blocks)
			}
		}
		if got != row.want {
			t.Errorf("%s: before %s, want %s", name, got, row.want)
		}
	}
}

// Whatever a conversation looks like: what stays behind a cut begins with no
// result, no answer that stays is without its results, and the last item stays.
func TestCutSeparatesNothing(t *testing.T) {
	for seed := range uint64(2000) {
		dice := rand.New(rand.NewPCG(seed, 1))
		var bodies []history.Body
		for i := range 1 + dice.IntN(12) {
			switch dice.IntN(4) {
			case 0:
				bodies = append(bodies, prompt("p"))
			case 1:
				bodies = append(bodies, says(strings.Repeat(".", dice.IntN(900))))
			default:
				a, b := fmt.Sprint(i, "a"), fmt.Sprint(i, "b")
				bodies = append(bodies, calls("read", a, b), returned("read", a, strings.Repeat(".", dice.IntN(900))))
				if dice.IntN(3) == 0 {
					bodies = append(bodies, history.UserMessage{Content: history.Text("mind this"), Steering: true})
				}
				bodies = append(bodies, returned("read", b, "x"))
			}
		}
		live := told(t, bodies...)
		k := Cut(live, Cutting{Turns: dice.IntN(4), Budget: int64(dice.IntN(2000)), Willing: dice.IntN(3) == 0, Full: int64(dice.IntN(2000))}, bytes)
		if k < 0 || k > 0 && k >= len(live.Items) || k > 0 && !live.Divides(k) {
			t.Fatalf("seed %d: cut at %d of %d", seed, k, len(live.Items))
		}
		open := 0
		for _, it := range live.Items[k:] {
			switch {
			case it.Answer != nil:
				open += len(it.Answer.Calls)
			case it.Result != nil:
				if open--; open < 0 {
					t.Fatalf("seed %d: cut at %d leaves a result without its call", seed, k)
				}
			}
		}
		if open != 0 {
			t.Fatalf("seed %d: cut at %d leaves %d calls without a result", seed, k, open)
		}
	}
}
