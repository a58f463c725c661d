package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/control/hooks"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// hooks runs the user's hooks of one kind and shows what they did.
func (l *caller) hooks(ctx context.Context, r *run, call hooks.Call) hooks.Outcome {
	list := l.deps.Config.Settings().Hooks[call.Hook]
	if l.deps.Hooks == nil || len(list) == 0 {
		return hooks.Outcome{Call: call}
	}
	call.SessionID, call.RunID = l.root.id, r.id
	out := l.deps.Hooks.Run(ctx, list, call)
	for _, act := range out.Acts {
		l.show(r.id, "notice", noticeOf(act, call))
	}
	return out
}

// noticeOf says which hook did what, so that a person finds it in the configuration.
func noticeOf(act hooks.Act, call hooks.Call) Notice {
	name := control.Title(act.Name, 200)
	tool := control.Title(call.Tool, 100)
	if act.Err != nil {
		n := Notice{Severity: "warning", Kind: "hook_failed", Title: said.That("Hook %d of %s (%s) failed: %s", act.Number, call.Hook, name, control.Title(act.Err.Error(), 300))}
		if tool != "" {
			n.Title = said.That("Hook %d of %s (%s) failed on %s: %s", act.Number, call.Hook, name, tool, control.Title(act.Err.Error(), 300))
		}
		return n
	}
	n := Notice{Severity: "info", Kind: "hook", Title: said.That("Hook %d of %s (%s) changed %s.", act.Number, call.Hook, name, hookedThing[call.Hook])}
	if tool != "" {
		n.Title = said.That("Hook %d of %s (%s) changed %s of %s.", act.Number, call.Hook, name, hookedThing[call.Hook], tool)
	}
	return n
}

// hookedThing is what a kind of hook changes.
var hookedThing = map[string]said.Text{
	config.ChatParams: said.That("the model's parameters"),
	config.ChatSystem: said.That("the system prompt"),
	config.ToolBefore: said.That("the arguments"),
	config.ToolAfter:  said.That("the output"),
}

// hookBefore lets hooks change or refuse the arguments of a call before anybody
// judges them: what they make of it is what is planned, asked about and run.
func (l *caller) hookBefore(r *run, j *invocation) {
	out := l.hooks(j.ctx, r, hooks.Call{Hook: config.ToolBefore, CallID: j.call.CallID, Tool: j.tool.Spec().Name, Input: j.input})
	if out.Changed() {
		j.input, j.hooked = out.Call.Input, true
	}
	switch {
	case j.ctx.Err() != nil:
		j.refused = &authorization{by: "cancel", status: "cancelled"}
	case out.Refused != "":
		j.refused = &authorization{by: "hook", status: "failed", text: "refused by a hook of the user: " + history.Clean(out.Refused)}
		j.refused.decision.Rule = control.RuleRef{Pattern: out.By, Source: "hook"}
	}
}

// over is a hook's word with what it is about, for the audit.
func (w authorization) over(p *tool.Plan) authorization {
	w.decision.Targets = p.Targets
	if len(p.Targets) > 0 {
		w.decision.Domain = p.Targets[0].Domain
	}
	return w
}

// hookAfter lets hooks rewrite the output of a call that has run, before it is
// truncated. They see the whole of it, also what is in a file already; that file
// goes when the output is rewritten or withheld. How the call ended, and what it
// changed, stays true.
func (l *caller) hookAfter(r *run, j *invocation) {
	if j.result.Status == history.StatusCancelled || l.deps.Hooks == nil || len(l.deps.Config.Settings().Hooks[config.ToolAfter]) == 0 {
		return
	}
	call := hooks.Call{Hook: config.ToolAfter, CallID: j.call.CallID, Tool: j.tool.Spec().Name, Input: l.root.redactor.RedactJSON(j.plan.Input, ""), Output: &j.result.Text}
	if spilled := j.spilled; spilled != nil {
		call.Output, call.Untold = wholeOf(spilled)
		if call.Output != nil {
			*call.Output = l.taken(j, *call.Output)
		}
	}
	out := l.hooks(j.ctx, r, call)
	switch {
	case out.Refused != "":
		j.result.Status, j.result.Images, j.whole, j.hidden = "failed", nil, "", false
		j.result.Text = "the tool has run, but its output is withheld: " + history.Clean(out.Refused)
	case out.Changed():
		j.result.Text, j.whole, j.hidden = history.Clean(*out.Call.Output), "", false
	default:
		return
	}
	if j.spilled != nil {
		if err := os.Remove(j.spilled.FullPath); err != nil && j.spilled.FullPath != "" {
			l.deps.Log.Warn().Err(err).Msg("the output that a hook has rewritten cannot be removed")
		}
		j.spilled = nil
	}
}

// wholeOf is an output that is in a file, where a hook can be told all of it.
func wholeOf(spilled *tool.Spilled) (text *string, untold string) {
	if spilled.Text != "" {
		whole := history.Clean(spilled.Text)
		return &whole, ""
	}
	if spilled.Capped || spilled.Bytes > hooks.MaxBytes {
		return nil, fmt.Sprintf("the output of %d bytes is too large for a hook", spilled.Bytes)
	}
	// A command could put a link to anything in the place of the file, and what a
	// hook makes of it goes to the model: only what the command wrote is told.
	info, err := os.Lstat(spilled.FullPath)
	if err != nil || !info.Mode().IsRegular() || info.Size() != spilled.Bytes {
		return nil, "the output is no longer in its file"
	}
	raw, err := os.ReadFile(spilled.FullPath)
	if sum := sha256.Sum256(raw); err != nil || hex.EncodeToString(sum[:]) != spilled.SHA256 {
		return nil, "the output is no longer in its file"
	}
	whole := history.Clean(string(raw))
	return &whole, ""
}
