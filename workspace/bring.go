package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

type bringArgs struct {
	Paths []string `json:"paths"`
}

// Bring is a call that brings files from another machine into the folder. changes lead
// back from what is there to what was sent there, so undoing them makes the files what they are there: what
// was changed here meanwhile is merged, and where that cannot be done it stays. from names the machine.
// A plan without Base has nothing to do. It is no tool of a model.
func (u *undoer) Bring(from string, changes []tool.Change) tool.Tool {
	spec := tool.Spec{Name: "sync", Description: "bring back what was changed on another machine", Effect: tool.Write}
	return tool.Define(spec, func(in bringArgs) (*tool.Plan, error) {
		mine := slices.DeleteFunc(slices.Clone(changes), func(c tool.Change) bool { return !slices.Contains(in.Paths, c.Path) })
		return u.planBring(from, mine)
	})
}

func (u *undoer) planBring(from string, changes []tool.Change) (*tool.Plan, error) {
	u.changing.Lock()
	now := undo.Make(changes, present{u}, true)
	u.changing.Unlock()
	var paths []Path
	for _, c := range changes {
		p, err := u.undoable(c.Path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Path, err)
		}
		paths = append(paths, p)
	}
	if len(now.Steps) == 0 && len(now.Conflicts) > 0 {
		return nil, now.Conflicts[0].Reason
	}
	plan := &tool.Plan{
		Title:   bringTitle(from, paths),
		Targets: targets(tool.DomainEdit, paths...),
		Preview: func(context.Context, tool.Grant) (tool.Preview, error) { return u.previewBring(now) },
		Run: func(ctx context.Context, _ tool.Grant, _ tool.Sink) (tool.Result, error) {
			done, left, err := u.Undo(ctx, changes, true, false, func(tool.Change) error { return nil })
			out := tool.Result{Changes: done, Conflicts: left}
			if err != nil {
				out.Failed, out.Text = true, err.Error()
			}
			return out, nil
		},
	}
	for _, p := range paths {
		plan.Lock = append(plan.Lock, p.key())
	}
	for _, s := range now.Steps {
		plan.Base = append(plan.Base, s.Was.Hash+" "+s.Want.Name())
		if s.Want.Mode != 0 && s.Want.Mode&0o111 != 0 && s.Was.Mode&0o111 == 0 && plan.Why.IsZero() {
			plan.Why = said.That("%s becomes a program", s.Path)
		}
	}
	return plan, nil
}

// bringTitle names the first files.
func bringTitle(from string, paths []Path) string {
	const shown = 3
	var names []string
	for i, p := range paths {
		if i == shown {
			return fmt.Sprintf("bring back from %s: %s and %d more", from, strings.Join(names, ", "), len(paths)-shown)
		}
		names = append(names, p.title())
	}
	return fmt.Sprintf("bring back from %s: %s", from, strings.Join(names, ", "))
}

// previewBring shows what a plan makes of each file.
func (u *undoer) previewBring(plan undo.Plan) (tool.Preview, error) {
	out := tool.Preview{Kind: "diff"}
	var text strings.Builder
	for _, s := range plan.Steps {
		p, err := u.undoable(s.Path)
		if err != nil {
			return out, err
		}
		var was, want []byte
		if s.Was.Kind == undo.File {
			if was, err = (present{u}).Read(s.Path); err != nil {
				return out, err
			}
		}
		if want = s.Data; want == nil && s.Want.Kind == undo.File {
			if want, err = u.Load(s.Want.Hash); err != nil {
				return out, err
			}
		}
		before, after := textOrNote(was), textOrNote(want)
		diff, places := unified(p, before, after, s.Was.Kind == undo.Nothing, s.Want.Kind == undo.Nothing, 0)
		text.WriteString(diff)
		out.Places = append(out.Places, places...)
		out.Files = append(out.Files, comparedFile(p, before, after))
	}
	for _, c := range plan.Conflicts {
		fmt.Fprintf(&text, "not brought back: %s\n", c.Path)
	}
	out.Text = text.String()
	return out, nil
}

// Typed names the documents whose text in the editor is not saved.
func (d *documents) Typed() []string {
	return d.unsavedNames(func(*buffer) bool { return true })
}
