package workspace

import (
	"context"
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// change is one file with the content it would get. write and edit make one
// when they plan; preview and run then use exactly this value.
type change struct {
	path Path
	was  snapshot
	data []byte // what the file will hold
	from string // text before and after, as diffed
	to   string
}

// planChange makes the plan of a change of one file.
func (d *desk) planChange(verb string, c change) *tool.Plan {
	title := verb + " " + c.path.title()
	plan := &tool.Plan{
		Targets: targets("edit", c.path),
		Lock:    []string{c.path.key()},
		Base:    []string{c.was.hash},
		Preview: func(context.Context) (tool.Preview, error) { return c.preview(), nil },
		Run: func(ctx context.Context, _ tool.Sink) (tool.Result, error) {
			if err := ctx.Err(); err != nil {
				return tool.Result{}, err
			}
			return d.runChange(ctx, verb, c), nil
		},
	}
	// A file with more than one name may be the same file as one outside the
	// Vault, and replacing it cuts the tie, which no undo restores. That is
	// for a person to decide (ruling 94).
	if c.was.exists {
		if n := linkCount(c.was.info); n > 1 {
			title += fmt.Sprintf(" (one of %d hard links; the others keep the old content)", n)
			plan.Why = fmt.Sprintf("the file is one of %d hard links, and the others keep the old content", n)
		}
	}
	plan.Title = title
	return plan
}

func (c change) preview() tool.Preview {
	diff, places := unified(c.path, c.from, c.to, !c.was.exists, false, 0)
	return tool.Preview{Kind: "diff", Text: diff, Places: places}
}

// runChange checks again what was judged, keeps the pre-image and writes.
func (d *desk) runChange(ctx context.Context, verb string, c change) tool.Result {
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
	d.remember(c.path, after)
	known := v.changedMemory(c.path, c.was, after)

	added, removed := countLines(c.from, c.to)
	diff, _ := unified(c.path, c.from, c.to, !c.was.exists, false, maxDiffLines)
	head := fmt.Sprintf("%s %s (+%d −%d", past(verb), printable(c.path.Display()), added, removed)
	if checkpoint != "" {
		head += ", checkpoint " + checkpoint[:12]
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

// put makes the file hold what c gives it, and is the one way in which a tool
// changes the text of a file. changing is held, and c was checked again.
func (v *Vault) put(_ context.Context, c change) error {
	if err := c.path.replace(c.was, c.data); err != nil {
		return err
	}
	v.buffers.wrote(c.path, c.to)
	v.tracks.notACommand(c.path.abs)
	return nil
}

// recheck makes sure that p is still what the plan was judged on. changing is
// held.
func (v *Vault) recheck(p Path, was snapshot) error {
	if err := v.again(p); err != nil {
		return err
	}
	if err := v.notDirty(p); err != nil {
		return err
	}
	now, err := p.snapshot()
	switch {
	case err != nil:
		return err
	case now.exists && !was.exists:
		return errAppeared
	case now.exists != was.exists || now.hash != was.hash:
		return errChanged
	}
	return nil
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
