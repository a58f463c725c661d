package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// planned is what a call would do, with the files that its command would start: these
// are a part of what a person says yes to.
func (l *caller) planned(ctx context.Context, t tool.Tool, callID string, input json.RawMessage) (*tool.Plan, error) {
	plan, err := l.filled(ctx, t, callID, input)
	if old, ok := errors.AsType[*tool.Outdated](err); ok {
		l.root.place().addStarts(old.Plan)
	}
	if err == nil {
		l.root.place().addStarts(plan)
	}
	return plan, err
}

func (p *Place) addStarts(plan *tool.Plan) {
	if plan == nil || plan.Command == "" {
		return
	}
	if plan.Starts = control.Starts(p.Surroundings.Facts(), plan); len(plan.Starts) > 0 {
		plan.Digest = tool.Digest(plan)
	}
}

// stillStarts refuses a command that would start other files than those it was judged
// with.
func (p *Place) stillStarts(plan *tool.Plan) error {
	if len(plan.Starts) == 0 || slices.Equal(control.Starts(p.Surroundings.Facts(), plan), plan.Starts) {
		return nil
	}
	return errors.New("a file that the command starts has changed since it was allowed, so nothing was run; run it again to have it judged as it is now")
}

// mayChange says that a call may change files, in whatever way.
func mayChange(p *tool.Plan) bool {
	return p.Command != "" || slices.ContainsFunc(p.Targets, func(t tool.Target) bool {
		return t.Domain == tool.DomainEdit || t.Domain == tool.DomainMCP || t.Domain == tool.DomainTool
	})
}

// runPlan runs what was allowed, and notes what it has changed of the files that
// people have said yes to.
func (d *Deps) runPlan(ctx context.Context, p *tool.Plan, grant tool.Grant, sink tool.Sink) (tool.Result, error) {
	if mayChange(p) {
		defer d.Accepted.Act()()
	}
	return p.Run(ctx, grant, sink)
}

// How many files that a command starts a preview names, and of how many it shows what
// has changed.
const (
	maxNamedStarts = 12
	maxDiffStarts  = 4
)

// startsOf are the files that a command starts, each once.
func (v *previewer) startsOf(files []tool.StartedFile, changed []control.ChangedStart) (out []history.StartedFile) {
	for _, f := range files {
		name := v.startName(f.Object)
		if f.Object == "" || slices.ContainsFunc(out, func(o history.StartedFile) bool { return o.Path == name }) {
			continue
		}
		is := slices.ContainsFunc(changed, func(c control.ChangedStart) bool { return c.Object == f.Object })
		out = append(out, history.StartedFile{Path: name, Changed: is})
	}
	return out
}

// startName is what a started file is called for a person.
func (v *previewer) startName(object string) string {
	return v.root.redactor.RedactAgain(control.Title(control.PlainName(object), 0))
}

// startsShown names for a person the files whose content a yes covers, and shows what
// is different in those for which an earlier yes does not hold, where that was kept.
func (v *previewer) startsShown(files []tool.StartedFile, changed []control.ChangedStart) string {
	if slices.ContainsFunc(files, func(f tool.StartedFile) bool { return f.Object == "" }) {
		return "starts more files of the workspace than an answer can cover, so it can only be allowed once\n\n"
	}
	var names []string
	for _, f := range v.startsOf(files, changed) {
		switch {
		case f.Changed && slices.ContainsFunc(changed, func(c control.ChangedStart) bool { return c.Was != "" && v.startName(c.Object) == f.Path }):
			f.Path += " (changed)"
		case f.Changed:
			f.Path += " (new)"
		}
		names = append(names, f.Path)
	}
	if len(names) == 0 {
		return ""
	}
	more := ""
	if n := len(names) - maxNamedStarts; n > 0 {
		names, more = names[:maxNamedStarts], fmt.Sprintf(" and %d more", n)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "runs these files, as they are now: %s%s\n\n", strings.Join(names, ", "), more)
	for _, c := range changed[:min(len(changed), maxDiffStarts)] {
		if c.Was == "" {
			continue
		}
		if diff := v.root.place().Files.StartedDiff(c.Object, c.Was); diff != "" {
			b.WriteString(strings.TrimRight(control.Lines(v.root.redactor.RedactAgain(history.Clean(diff))), "\n") + "\n\n")
		}
	}
	return b.String()
}
