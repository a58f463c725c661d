package worker

import (
	"encoding/json"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/runner/seam"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// mostLooks bounds what is looked up with a plan, in bytes.
const mostLooks = 256 << 10

// looks are what judging a plan looks at, found by judging it here: the verdict is the
// sidecar's, which has the rules for all it is judged by, and what it asks beyond this it asks.
func (w *worker) looks(session string, plan *tool.Plan) (out []seam.Looked) {
	o, err := w.owner(session)
	if err != nil {
		return nil
	}
	size := 0
	f := o.reading.Load().At(seam.Paths{Ask: func(q seam.Question) (seam.Answer, bool) {
		a := w.answer(q)
		text, err := json.Marshal(a)
		if size += len(text); err == nil && size <= mostLooks {
			out = append(out, seam.Looked{Question: q, Answer: a})
		}
		return a, true
	}})[0]
	judged := *plan
	judged.Starts = control.Starts(f, plan)
	control.NewPolicy(f).Decide(&judged)
	return out
}
