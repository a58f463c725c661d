package session

import (
	"context"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// previewer says what a person is shown of a call before they decide.
type previewer struct {
	deps   *Deps
	root   *root
	blobs  blobs
	origin func(*run) tool.Origin
}

// approvalOf is the question about a plan.
func (v *previewer) approvalOf(r *run, p *tool.Plan, d control.Decision) history.Approval {
	a := history.Approval{
		Title: said.Plain(control.Title(v.root.redactor.RedactAgain(p.Title), 200)), Reason: v.reasonOf(d), Risk: d.Risk, Domain: d.Domain, Targets: objectsOf(d.Targets),
		Tool: p.Tool, Input: v.blobs.offloadInput(v.root.redactor.RedactJSON(p.Input, ""), maxInline), Rule: d.Rule, Always: nonNil(d.Always), Runner: v.root.place().Runner, Answerable: history.Answerable{Digest: p.Digest},
	}
	if d.Domain == tool.DomainPlan {
		a.Title = said.That("Accept this plan?")
		a.Labels = map[string]string{"once": "Accept the plan", "reject": "Keep planning"} // the log's English
	}
	would := granted(p, d)
	would.Origin = v.origin(r)
	a.Preview = v.previewOf(r.ctx, p, d, would)
	a.Decisions = []string{"once"}
	if !d.OnceOnly {
		a.Decisions = append(a.Decisions, "session")
	}
	if len(d.Always) > 0 {
		a.Decisions = append(a.Decisions, "always")
	}
	a.Decisions = append(a.Decisions, "reject")
	a.Editable = v.deps.Approver.CanEdit() && len(p.Input) <= maxInline
	return a
}

// reasonOf is why a person is asked, in one line: what it is about is plain already, but
// for secrets, and only where it is long it is cut, in English.
func (v *previewer) reasonOf(d control.Decision) said.Text {
	reason := placeholder.Redacted(v.root.redactor, d.Reason)
	if runner := v.root.place().Runner; runner != "" {
		reason = said.That("On the runner %s: %s", runner, reason)
	}
	if words := reason.String(); control.Title(words, maxReason) != words {
		return said.Plain(control.Title(words, maxReason))
	}
	return reason
}

// previewOf is what a person looks at: for edits the unified diff, for scripts the
// text and the tree of its commands. Nothing in it is invisible. What is too long
// for an event lies whole in an artifact.
func (v *previewer) previewOf(ctx context.Context, p *tool.Plan, d control.Decision, would tool.Grant) *history.ApprovalPreview {
	if p.Preview == nil {
		return nil
	}
	shown, err := p.Preview(ctx, would)
	if err != nil {
		return &history.ApprovalPreview{Kind: "text", Text: "no preview: " + err.Error()}
	}
	out := &history.ApprovalPreview{Kind: shown.Kind}
	for _, place := range shown.Places {
		out.Places = append(out.Places, history.Place{URI: place.URI, Start: place.Start, End: place.End})
	}
	out.Documents = v.documentsOf(shown.Files)
	body, tree := control.Lines(v.root.redactor.RedactAgain(history.Clean(shown.Text))), ""
	if shown.Kind == "command" {
		out.Starts = v.startsOf(p.Starts, d.Changed)
		body, tree = strings.TrimRight(body, "\n")+"\n\n"+v.startsShown(p.Starts, d.Changed)+v.unaskedShown(ctx, p, d), v.root.redactor.RedactAgain(control.CommandTree(d.Commands))
	}
	var cut bool
	if out.Text, cut = fitted(body, tree); !cut {
		out.Verdicts = v.verdictsOf(d.Commands, tree)
		return out
	}
	out.Whole = body + tree
	if ref, _, err := v.root.place().keep(v.root.id, "preview", "preview", out.Whole); err == nil {
		out.ArtifactID = ref.ArtifactID
	}
	return out
}

// verdictsOf are the lines of a tree as parts; none where a secret was taken out across
// lines, so that whoever shows the parts in the place of the lines leaves out no other.
func (v *previewer) verdictsOf(commands []control.CommandVerdict, tree string) []history.CommandVerdict {
	if strings.Count(tree, "\n") != len(commands) {
		return nil
	}
	var out []history.CommandVerdict
	for _, c := range commands {
		out = append(out, history.CommandVerdict{
			Decision: c.Verdict.String(), Why: placeholder.Redacted(v.root.redactor, c.Why), Text: v.root.redactor.RedactAgain(control.Title(c.Text, 0)), Depth: c.Depth,
		})
	}
	return out
}

// fitted is a preview as an event carries it: a long text is cut, but it does not
// push the verdicts out.
func fitted(body, tree string) (text string, cut bool) {
	if len(body)+len(tree) <= maxPreview {
		return body + tree, false
	}
	const mark = "…\n\n"
	tree = cutText(tree, maxPreview/2-len(mark))
	body = strings.TrimSuffix(cutText(body, maxPreview-len(tree)-len(mark)), "…")
	return body + mark + tree, true
}
