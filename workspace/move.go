package workspace

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

//go:embed move.md
var moveDoc string

type moveArgs struct {
	From string `json:"from" jsonschema:"what to move"`
	To   string `json:"to" jsonschema:"the whole new path"`
}

// paths are where something comes or goes.
func (r relocation) paths(v *Vault) []Path {
	paths := []Path{r.from, r.to}
	for _, name := range r.below.names() {
		for _, dir := range []Path{r.from, r.to} {
			if p, err := v.locate(filepath.Join(dir.abs, filepath.FromSlash(name)), false); err == nil {
				paths = append(paths, p)
			}
		}
	}
	return paths
}

// newMove is the tool that renames files and directories. Links are moved
// themselves.
func newMove(d *toolset) tool.Tool {
	spec := tool.Spec{Name: "move", Description: moveDoc, Effect: tool.Write}
	return tool.Define(spec, func(in moveArgs) (*tool.Plan, error) {
		from, err := d.entry(in.From)
		if err != nil {
			return nil, fmt.Errorf(`argument "from": %w`, err)
		}
		to, err := d.entry(in.To)
		if err != nil {
			return nil, fmt.Errorf(`argument "to": %w`, err)
		}
		r, err := d.newRelocation(from, to)
		if err != nil {
			return d.unseen("move", nil, err, from, to)
		}
		r.repository = d.v.makesRepository(r.paths(d.v)...)
		plan := &tool.Plan{
			Title:   "move " + r.from.title() + " to " + r.to.title(),
			Targets: targets(tool.DomainEdit, r.from, r.to),
			Lock:    []string{r.from.key(), r.to.key()},
			Preview: func(context.Context, tool.Grant) (tool.Preview, error) {
				return r.preview(), nil
			},
			Run: func(ctx context.Context, _ tool.Grant, _ tool.Sink) (tool.Result, error) {
				if err := ctx.Err(); err != nil {
					return tool.Result{}, err
				}
				return d.move(r), nil
			},
		}
		hash := r.was.hash
		if r.below != nil {
			hash = r.below.hash
			plan.Targets = append(plan.Targets, r.below.targets(r.from)...)
			plan.Targets = append(plan.Targets, r.below.targets(r.to)...)
		}
		plan.Base = []string{hash}
		return plan, nil
	})
}

func (d *toolset) newRelocation(from, to Path) (relocation, error) {
	r := relocation{from: from, to: to}
	var err error
	if err := d.v.notAFolder(r.from); err != nil {
		return r, err
	}
	if err := r.free(); err != nil {
		return r, err
	}
	if err := d.v.notDirty(r.to); err != nil {
		return r, err
	}
	if r.info, err = r.from.lstat(); isMissing(err) {
		return r, fmt.Errorf("%s does not exist", r.from)
	} else if err != nil {
		return r, fmt.Errorf("%s: %w", r.from, err)
	}
	switch {
	case r.info.IsDir():
		if _, in := pathname.Below(r.from.abs, r.to.abs); in {
			return r, errors.New("a directory cannot be moved into itself")
		}
		if r.from.root != r.to.root {
			return r, errors.New("a directory cannot be moved from one workspace folder to another, or out of it; use bash")
		}
		m, err := d.v.newManifest(r.from)
		r.below = &m
		return r, err
	case r.info.Mode().IsRegular():
		if err := d.v.notDirty(r.from); err != nil {
			return r, err
		}
		r.was, err = r.from.snapshot()
		return r, err
	case r.info.Mode()&fs.ModeSymlink == 0:
		return r, fmt.Errorf("%s is %s", r.from, openat.KindOf(r.info))
	case r.from.root != r.to.root:
		return r, errors.New("a link cannot be moved from one workspace folder to another, or out of it")
	}
	return r, nil
}

func (d *toolset) move(r relocation) tool.Result {
	v := d.v
	v.changing.Lock()
	defer v.changing.Unlock()
	if err := d.recheckMove(r); err != nil {
		return tool.Failed(fmt.Errorf("%s: %w", r.from, err))
	}
	checkpoint := ""
	if r.was.exists {
		var err error
		if checkpoint, err = v.Keep(r.was.data); err != nil {
			return tool.Failed(fmt.Errorf("%s: not moved: %w", r.from, err))
		}
	}
	changes, err := r.changes(v, checkpoint)
	if err != nil {
		return tool.Failed(fmt.Errorf("%s: not moved: %w", r.from, err))
	}
	if err := r.rename(); err != nil {
		return tool.Failed(fmt.Errorf("%s: not moved: %w", r.from, err))
	}
	d.moved(r)
	below := r.below.names()
	v.accept(r.from, "", below...)
	v.accept(r.to, cmp.Or(r.was.hash, shields.AsItIs), below...)
	return tool.Result{
		Text:    fmt.Sprintf("moved %s to %s", pathname.Printable(r.from.Display()), pathname.Printable(r.to.Display())),
		Changes: changes,
	}
}

// moved lets what was read count as read under its new path, with all that a
// directory holds.
func (d *toolset) moved(r relocation) {
	d.reads.moved(func(key string) (string, bool) {
		rel, in := pathname.Below(r.from.key(), key)
		return pathname.Fold(filepath.Join(r.to.abs, filepath.FromSlash(rel))), in
	})
}

func (d *toolset) recheckMove(r relocation) error {
	if !r.repository && d.v.makesRepository(r.paths(d.v)...) {
		return errRepository
	}
	if err := d.v.again(r.to); err != nil {
		return err
	}
	if err := r.free(); err != nil {
		return err
	}
	if err := d.v.notDirty(r.to); err != nil {
		return err
	}
	if r.was.exists {
		return d.v.recheck(r.from, r.was)
	}
	if r.below != nil {
		return d.v.unchanged(*r.below)
	}
	now, err := r.from.lstat()
	if d.v.again(r.from) != nil || err != nil || now.Mode() != r.info.Mode() || !now.ModTime().Equal(r.info.ModTime()) {
		return openat.ErrMoved
	}
	return nil
}

// changes names everything that will have another path, with what an undo needs:
// what a file contains it needs not, because it is moved back.
func (r relocation) changes(v *Vault, checkpoint string) ([]tool.Change, error) {
	one := tool.Change{Path: r.to.Display(), URI: r.to.URI(), Kind: "moved", From: r.from.Display(), Before: r.was.hash, After: r.was.hash, Checkpoint: checkpoint}
	if r.below == nil {
		if r.was.exists {
			return []tool.Change{one}, nil
		}
		var err error
		one.Checkpoint, one.Before, err = v.keepLink(r.from)
		one.After = one.Before
		return []tool.Change{one}, err
	}
	one.Directory, one.Checkpoint = true, undo.Image{Kind: undo.Dir, Mode: r.info.Mode()}.Name()
	out := []tool.Change{one}
	for _, e := range r.below.entries {
		c := tool.Change{
			Path: r.to.child(e.rel), URI: fileuri.Of(filepath.Join(r.to.abs, filepath.FromSlash(e.rel))), Kind: "moved", From: r.from.child(e.rel),
		}
		q, err := v.locate(filepath.Join(r.from.abs, filepath.FromSlash(e.rel)), false)
		if err != nil {
			return nil, err
		}
		switch {
		case e.info.IsDir():
			c.Directory, c.Checkpoint = true, undo.Image{Kind: undo.Dir, Mode: e.info.Mode()}.Name()
		case e.info.Mode().IsRegular():
			was, err := q.snapshot()
			if err != nil {
				return nil, err
			}
			c.Before = was.hash
		default:
			if c.Checkpoint, c.Before, err = v.keepLink(q); err != nil {
				return nil, err
			}
		}
		c.After = c.Before
		out = append(out, c)
	}
	return out, nil
}
