package session

import (
	"github.com/agent-sidecar/agent-sidecar/session/compaction"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

// bytesFor is how many bytes of text so many tokens are.
func bytesFor(n int64, tokens compaction.Measure) int64 {
	const sample = 30_000
	return n * sample / max(tokens(history.Size{Bytes: sample}), 1)
}

// share is how many bytes the result of a call may show so that it fits the
// window together with the others of its batch; 0 is no limit of this kind.
func (v *view) share(r *run) int {
	info := r.model.Info()
	tokens := v.measure(info.Name)
	t := journal.Read(v.journal, copied)
	var batch history.Size
	for k := len(t.Items) - 1; k >= 0 && t.Items[k].Answer == nil; k-- {
		batch = batch.Plus(t.Items[k].Size)
	}
	return shareIn(v.bounds(info), tokens, r.fixed, batch, len(t.OpenCalls))
}

// shareIn is how many bytes the next result of a batch may show, of which left are still to
// come; 0 is no limit of this kind.
func shareIn(b compaction.Bounds, tokens compaction.Measure, fixed, taken history.Size, left int) int {
	share := b.Share(tokens(fixed), tokens(taken), left)
	if share == 0 {
		return 0
	}
	return inSteps(bytesFor(share, tokens))
}

// inSteps is the largest of 2, 3, 4, 6, 8, 12 … KiB that is not over most, and 2
// KiB at least: a word more in the description of a tool changes nothing.
func inSteps(most int64) int {
	bytes := int64(leastResult)
	for bytes*2 <= most {
		bytes *= 2
	}
	if bytes*3/2 <= most {
		bytes = bytes * 3 / 2
	}
	return int(bytes)
}
