package compaction

import "github.com/agent-sidecar/agent-sidecar/session/history"

// Cutting says how much of a conversation a summary leaves.
type Cutting struct {
	Turns  int   // that stay as they are, at least one
	Budget int64 // tokens that what stays may have
	// Willing says that somebody asked for it: the last turns stay whole, also
	// where they are over the budget. Where there is nothing older nothing is cut,
	// unless all of it has more than Full tokens.
	Willing bool
	Full    int64
}

// Cut is the index of the first item that stays: the last turns; where they are
// too big, fewer of them; where the last is too big alone, its last steps. A cut
// never separates a call from its result. 0 is nothing to summarise.
func Cut(t *history.Transcript, c Cutting, tokens Measure) int {
	c.Turns = max(c.Turns, 1)
	starts := t.TurnStarts()
	tail := tails(t.Items, tokens)
	if c.Willing {
		if len(starts) > c.Turns {
			return starts[len(starts)-c.Turns]
		}
		if tail[0] <= c.Full {
			return 0
		}
	}
	for n := min(c.Turns, len(starts)-1); n >= 1; n-- {
		if k := starts[len(starts)-n]; tail[k] <= c.Budget && t.Divides(k) {
			return k
		}
	}
	last := 0
	for k := t.LastTurn() + 1; k < len(t.Items); k++ {
		if t.Items[k].Answer == nil || !t.Divides(k) {
			continue
		}
		if last = k; tail[k] <= c.Budget {
			return k
		}
	}
	if last == 0 { // the last turn is one step, or none: all of it stays
		last = t.LastTurn()
	}
	return last
}

// tails are how many tokens each item has together with all behind it.
func tails(items []history.Item, tokens Measure) []int64 {
	out := make([]int64, len(items)+1)
	var s history.Size
	for k := len(items) - 1; k >= 0; k-- {
		s = s.Plus(items[k].Size)
		out[k] = tokens(s)
	}
	return out
}
