package session

import (
	"encoding/json"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// guardLoop stops a model that goes in circles: it asks before the call that
// would be one too many, and ends the run where nobody says yes. Calls that
// could not be decoded, or are of no tool, go in circles like others.
func (l *caller) guardLoop(r *run, j *invocation) (w authorization, stopped bool) {
	if r.guard == nil || r.reporting {
		return authorization{}, false
	}
	if l.root.said.loopsAllowed.Load() {
		r.guard.Off()
	}
	input, targets := j.arguments()
	finding := r.guard.Before(j.named(), input)
	if finding.Verdict == control.Allow {
		j.counted = true
		return authorization{}, false
	}
	recordOrCancel(l.journal, r, history.LoopDetected{CallID: j.call.CallID, Tool: control.Title(j.call.Tool, 120), Count: finding.Count, Reason: finding.Reason})
	w = authorization{
		by: "nobody", status: "failed", text: finding.Stop.String(), end: &stop{reason: history.StopDoomLoop, message: finding.Stop},
		decision: control.Decision{Domain: tool.DomainDoomLoop, Rule: control.RuleRef{Pattern: "*", Source: "built-in"}, Targets: targets},
	}
	if !l.deps.Approver.CanAnswer() {
		return w, true
	}
	answer := l.asker.ask(r, approvalRequest{ctx: j.ctx, callID: j.call.CallID, tool: j.call.Tool, build: func() history.Approval {
		a := plainQuestion("doom_loop", finding.Reason, finding.Reason)
		a.Tool, a.Input = j.call.Tool, l.blobs.offloadInput(input, maxInline)
		return a
	}})
	w.by = answer.by
	switch answer.decision {
	case "once":
		r.guard.Once()
	case "always":
		l.root.said.loopsAllowed.Store(true) // also in its sub-agents
		r.guard.Off()
	case "reject":
		w.answer, w.status = answer.decision, "rejected"
		return w, true
	case "nobody": // as if there had been nobody to ask
		return w, true
	default:
		w.status, w.text, w.end = "cancelled", "", nil
		return w, true
	}
	r.guard.Before(j.named(), input)
	j.counted = true
	return authorization{}, false
}

// garbled gives a call that cannot be planned its error; such calls go in circles
// like others.
func (l *caller) garbled(r *run, j *invocation, err error) *invocation {
	if j.ctx.Err() != nil { // while somebody was asked what it would do
		return j.refuse(history.StatusCancelled, "")
	}
	w, looping := l.guardLoop(r, j)
	switch {
	case !looping:
		return j.refuse(history.StatusFailed, err.Error())
	case w.end == nil:
		return j.refuse(history.StatusCancelled, "")
	}
	j.end = w.end
	return j.refuse(history.StatusFailed, w.text) // not rejected: there is no decision over it on record
}

// arguments are what tells this call from another.
func (j *invocation) arguments() (json.RawMessage, []tool.Target) {
	switch {
	case j.plan != nil:
		return j.plan.Input, j.plan.Targets
	case j.call.Raw != "":
		return json.RawMessage(j.call.Raw), nil
	}
	return j.call.Input, nil
}

// observe tells the guard what came of a call and gives the note that the model
// is to read behind it, "" for none. It is called in the order of the calls.
func (r *run) observe(j *invocation) (note string) {
	switch {
	case !j.counted:
		return ""
	case j.result.Status == history.StatusCancelled:
		r.guard.Forget()
		return ""
	}
	output := j.result.Text
	if j.spilled != nil { // what is shown of it names its artifact, which is another one each time
		output = j.spilled.SHA256 + j.spilled.Note
	}
	// A person's no is not an error that comes back: they have seen it.
	return r.guard.Returned(j.named(), output, j.result.Status == history.StatusFailed)
}
