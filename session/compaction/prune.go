package compaction

import (
	"slices"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Prune is layer two: the results that are taken out of the conversation for
// good, oldest first, and how many tokens that gains. They are older than the
// last turns, beyond the newest tokens of results, and never protected; what a
// summary has replaced is not in the transcript any more. nil: it would not
// gain enough.
func Prune(t *history.Transcript, turns int, b Bounds, tokens Measure) (results []*history.ToolReturned, gain int64) {
	starts := t.TurnStarts()
	if len(starts) <= turns {
		return nil, 0
	}
	older := len(t.Items)
	if turns > 0 {
		older = starts[len(starts)-turns]
	}
	keeps := min(pruneKeeps, b.window()/4)
	for i, it := range slices.Backward(t.Items) {
		if it.Result == nil {
			continue
		}
		size := tokens(it.Size)
		if keeps -= size; keeps >= 0 || i >= older || it.Pruned || protected(&it) {
			continue
		}
		if less := size - tokens(history.PrunedSize(it.Result)); less > 0 {
			results, gain = append(results, it.Result), gain+less
		}
	}
	if gain < min(pruneGains, b.window()/10) {
		return nil, 0
	}
	slices.Reverse(results)
	return results, gain
}
