package workspace

import (
	"context"
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

// planChange makes the plan of a change of one file.
func (d *toolset) planChange(verb string, c change) *tool.Plan {
	c.repository = d.v.makesRepository(c.path)
	title := verb + " " + c.path.title()
	plan := &tool.Plan{
		Targets: targets(tool.DomainEdit, c.path),
		Lock:    []string{c.path.key()},
		Base:    []string{c.was.hash},
		Preview: func(context.Context, tool.Grant) (tool.Preview, error) { return c.preview(), nil },
		Run: func(ctx context.Context, _ tool.Grant, _ tool.Sink) (tool.Result, error) {
			if err := ctx.Err(); err != nil {
				return tool.Result{}, err
			}
			watch := d.v.watchProblems(c.path)
			result := d.runChange(ctx, verb, c)
			if !result.Failed {
				result.Text += watch.News(ctx)
			}
			return result, nil
		},
	}
	// A file with more than one name may be the same file as one outside the
	// Vault, and replacing it cuts the tie, which no undo restores. That is for a
	// person to decide.
	if c.was.info != nil {
		if n := openat.LinkCount(c.was.info); n > 1 && c.was.open != nil {
			plan.Why = said.That("the file is one of %d hard links, and saving it may change the others", n)
		} else if n > 1 {
			title += fmt.Sprintf(" (one of %d hard links; the others keep the old content)", n)
			plan.Why = said.That("the file is one of %d hard links, and the others keep the old content", n)
		}
	}
	plan.Title = title
	return plan
}

func (c change) preview() tool.Preview {
	diff, places := unified(c.path, c.from, c.to, !c.was.exists, false, 0)
	return tool.Preview{Kind: "diff", Text: diff, Places: places, Files: []tool.Compared{comparedFile(c.path, c.from, c.to)}}
}

// runChange checks again what was judged, keeps the pre-image and writes.
func (d *toolset) runChange(ctx context.Context, verb string, c change) tool.Result {
	v := d.v
	v.changing.Lock()
	defer v.changing.Unlock()
	if err := v.recheck(c.path, c.was); err != nil {
		return tool.Failed(fmt.Errorf("%s: %w", c.path, err))
	}
	kind := "created"
	if c.was.exists {
		kind = "modified"
	}
	checkpoint, err := v.keepChange(c)
	if err != nil {
		return tool.Failed(fmt.Errorf("%s: not changed: %w", c.path, err))
	}
	if err := v.put(ctx, c); err != nil {
		return tool.Failed(fmt.Errorf("%s: %w", c.path, err))
	}
	after := hashOf(c.data)
	if !c.unread {
		d.remember(c.path, after)
	}
	known := v.changedMemory(c.path, c.was, after)

	added, removed := countLines(c.from, c.to)
	diff, _ := unified(c.path, c.from, c.to, !c.was.exists, false, maxDiffLines)
	head := fmt.Sprintf("%s %s (+%d −%d", past(verb), pathname.Printable(c.path.Display()), added, removed)
	if checkpoint != "" {
		head += ", checkpoint " + checkpoint[:12]
	}
	if where := v.whereItIs(c.path); where != "" {
		head += "; " + where
	}
	if c.unread {
		head += "; it had changed since it was read, so read it again before the next change"
	}
	if known != nil { // the change is made; the next session will ask about it
		head += ", " + known.Error()
	}
	return tool.Result{
		Text: strings.TrimSuffix(head+")\n"+diff, "\n"),
		Changes: []tool.Change{{
			Path: c.path.Display(), URI: c.path.URI(), Kind: kind, Additions: added, Deletions: removed,
			Before: c.was.hash, After: after, Checkpoint: checkpoint,
		}},
	}
}

func past(verb string) string {
	switch verb {
	case "write":
		return "wrote"
	case "edit":
		return "edited"
	default:
		return verb + "d"
	}
}
