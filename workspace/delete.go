package workspace

import (
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

//go:embed delete.md
var deleteDoc string

type deleteArgs struct {
	Path      string `json:"path" jsonschema:"the file or directory"`
	Recursive bool   `json:"recursive,omitempty" jsonschema:"also delete what a directory contains"`
}

// newDelete is the tool that removes files. A link is removed itself, not what
// it leads to.
func newDelete(of *toolset) tool.Tool {
	d := &deleter{of}
	spec := tool.Spec{Name: "delete", Description: deleteDoc, Effect: tool.Write}
	return tool.Define(spec, func(in deleteArgs) (*tool.Plan, error) {
		p, err := d.entry(in.Path)
		if err != nil {
			return nil, err
		}
		plan, err := d.planDelete(in, p)
		return d.unseen("delete", plan, err, p)
	})
}

// deleter takes files and directories away.
type deleter struct{ *toolset }

func (d *deleter) planDelete(in deleteArgs, p Path) (*tool.Plan, error) {
	if err := d.v.notAFolder(p); err != nil {
		return nil, err
	}
	fi, err := p.lstat()
	switch {
	case isMissing(err):
		return nil, fmt.Errorf("%s does not exist", p)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", p, err)
	case fi.IsDir():
		return d.planDeleteDir(in, p)
	case fi.Mode()&fs.ModeSymlink != 0:
		return d.planDeleteLink(p, fi), nil
	}
	return d.planDeleteFile(p)
}

func (d *deleter) planDeleteFile(p Path) (*tool.Plan, error) {
	if err := d.v.notDirty(p); err != nil {
		return nil, err
	}
	was, err := p.snapshot()
	if err != nil {
		return nil, err
	}
	plan := &tool.Plan{
		Title: "delete " + p.title(), Targets: targets(tool.DomainEdit, p), Lock: []string{p.key()},
		Preview: func(context.Context, tool.Grant) (tool.Preview, error) {
			text := textOrNote(was.data)
			diff, places := unified(p, text, "", false, true, 0)
			return tool.Preview{Kind: "diff", Text: diff, Places: places, Files: []tool.Compared{comparedFile(p, text, "")}}, nil
		},
		Run: func(ctx context.Context, _ tool.Grant, _ tool.Sink) (tool.Result, error) {
			d.v.changing.Lock()
			defer d.v.changing.Unlock()
			if err := ctx.Err(); err != nil {
				return tool.Result{}, err
			}
			if err := d.v.recheck(p, was); err != nil {
				return tool.Failed(fmt.Errorf("%s: %w", p, err)), nil
			}
			change, err := d.removeKept(p, was)
			if err != nil {
				return tool.Failed(fmt.Errorf("%s: not deleted: %w", p, err)), nil
			}
			text := fmt.Sprintf("deleted %s (−%d, checkpoint %s)", pathname.Printable(p.Display()), change.Deletions, change.Checkpoint[:12])
			return tool.Result{Text: text, Changes: []tool.Change{change}}, nil
		},
	}
	plan.Base = []string{was.hash}
	return plan, nil
}

// removeKept removes a file whose content was is, after keeping it. changing is
// held.
func (d *deleter) removeKept(p Path, was snapshot) (tool.Change, error) {
	checkpoint, err := d.v.keep(was)
	if err != nil {
		return tool.Change{}, err
	}
	if err := p.removeSeen(was); err != nil {
		return tool.Change{}, err
	}
	d.v.accept(p, "")
	d.forget(p)
	_, removed := countLines(textOrNote(was.data), "")
	return tool.Change{
		Path: p.Display(), URI: p.URI(), Kind: "deleted", Deletions: removed, Before: was.hash, Checkpoint: checkpoint,
	}, nil
}

// removeLink removes a link, after keeping where it led. changing is held.
func (d *deleter) removeLink(p Path) (tool.Change, error) {
	checkpoint, hash, err := d.v.keepLink(p)
	if err == nil {
		err = p.remove()
		d.v.accept(p, "")
	}
	return tool.Change{Path: p.Display(), URI: p.URI(), Kind: "deleted", Before: hash, Checkpoint: checkpoint}, err
}

// removeDir removes an empty directory. changing is held.
func (d *deleter) removeDir(p Path, info fs.FileInfo) (tool.Change, error) {
	err := p.remove()
	d.v.accept(p, "")
	return tool.Change{
		Path: p.Display(), URI: p.URI(), Kind: "deleted", Directory: true, Checkpoint: undo.Image{Kind: undo.Dir, Mode: undo.Rights(info.Mode())}.Name(),
	}, err
}

func (d *deleter) planDeleteLink(p Path, was fs.FileInfo) *tool.Plan {
	return &tool.Plan{
		Title: "delete the link " + p.title(), Targets: targets(tool.DomainEdit, p), Lock: []string{p.key()},
		Base: []string{was.Mode().String() + was.ModTime().String()},
		Run: func(ctx context.Context, _ tool.Grant, _ tool.Sink) (tool.Result, error) {
			d.v.changing.Lock()
			defer d.v.changing.Unlock()
			if err := ctx.Err(); err != nil {
				return tool.Result{}, err
			}
			now, err := p.lstat()
			if d.v.again(p) != nil || err != nil || now.Mode() != was.Mode() || !now.ModTime().Equal(was.ModTime()) {
				return tool.Failed(fmt.Errorf("%s: %w", p, openat.ErrMoved)), nil
			}
			change, err := d.removeLink(p)
			if err != nil {
				return tool.Failed(fmt.Errorf("%s: not deleted: %w", p, err)), nil
			}
			text := fmt.Sprintf("deleted the link %s; what it led to is untouched", pathname.Printable(p.Display()))
			return tool.Result{Text: text, Changes: []tool.Change{change}}, nil
		},
	}
}

func (d *deleter) planDeleteDir(in deleteArgs, p Path) (*tool.Plan, error) {
	if !in.Recursive {
		if empty, err := p.emptyDir(); err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		} else if !empty {
			return nil, fmt.Errorf("%s is a directory with contents; set recursive to delete all of it", p)
		}
	}
	m, err := d.v.newManifest(p)
	if err != nil {
		return nil, err
	}
	plan := &tool.Plan{
		Title:       fmt.Sprintf("delete the directory %s", p.title()),
		Targets:     append(targets(tool.DomainEdit, p), m.targets(p)...),
		Lock:        []string{p.key()},
		Destructive: in.Recursive,
		Preview: func(context.Context, tool.Grant) (tool.Preview, error) {
			return tool.Preview{Kind: "text", Text: m.summary()}, nil
		},
		Run: func(ctx context.Context, _ tool.Grant, _ tool.Sink) (tool.Result, error) { return d.deleteDir(ctx, m) },
	}
	if len(m.entries) > 0 {
		plan.Title += fmt.Sprintf(" with %d entries", len(m.entries))
	}
	plan.Base = []string{m.hash}
	return plan, nil
}

// deleteDir removes exactly what was judged, children first: first every file
// is kept, then all are removed. What appears meanwhile stays.
func (d *deleter) deleteDir(ctx context.Context, m manifest) (tool.Result, error) {
	d.v.changing.Lock()
	defer d.v.changing.Unlock()
	p := m.base
	if err := d.v.unchanged(m); err != nil {
		return tool.Failed(fmt.Errorf("%s: %w", p, err)), nil
	}
	type kept struct {
		path Path
		was  snapshot
	}
	var files []kept
	var rest []Path // links and directories, parents first
	for _, e := range m.entries {
		q, err := d.v.locate(filepath.Join(p.abs, filepath.FromSlash(e.rel)), false)
		if err != nil {
			return tool.Failed(err), nil
		}
		if !e.info.Mode().IsRegular() {
			rest = append(rest, q)
			continue
		}
		was, err := q.snapshot()
		if err == nil {
			_, err = d.v.Keep(was.data)
		}
		if err != nil {
			return tool.Failed(fmt.Errorf("%s: nothing was deleted: %w", p, err)), nil
		}
		was.data = nil // at most one content in memory
		files = append(files, kept{q, was})
		if ctx.Err() != nil {
			return tool.Result{}, ctx.Err()
		}
	}
	var changes []tool.Change
	var problems []string
	did := func(p Path, c tool.Change, err error) {
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", p, err))
			return
		}
		changes = append(changes, c)
	}
	for _, f := range files {
		now, err := f.path.snapshot()
		if err == nil && now.hash != f.was.hash {
			err = errChanged
		}
		var c tool.Change
		if err == nil {
			c, err = d.removeKept(f.path, now)
		}
		did(f.path, c, err)
	}
	removed := len(changes)
	for _, q := range slices.Backward(append([]Path{p}, rest...)) {
		info, err := q.lstat()
		var c tool.Change
		switch {
		case err != nil:
		case info.IsDir():
			c, err = d.removeDir(q, info)
		default:
			c, err = d.removeLink(q)
		}
		did(q, c, err)
	}
	with := fmt.Sprintf("%d files; their contents are kept", removed)
	if removed == 1 {
		with = "1 file; its contents are kept"
	}
	text := fmt.Sprintf("deleted %s with %s", pathname.Printable(p.Display()), with)
	if len(problems) > 0 {
		text += "\nnot deleted:\n" + strings.Join(problems[:min(20, len(problems))], "\n")
	}
	return tool.Result{Text: text, Failed: len(problems) > 0, Changes: changes}, nil
}
