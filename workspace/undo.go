package workspace

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

// undoer takes changes back.
type undoer struct {
	*places
	*documents
	*checkpoints
	*memories
}

// Undo brings files back to what they were before changes, which are given in the
// order in which they were made. Only what is still as it was left comes back; the
// rest are conflicts. With merge, what somebody else changed since is kept where the
// lines are others; with dryRun nothing is done, and the answer is the same. What an
// undo replaces is kept, so that it can itself be undone: record is called with each
// change right behind it; those of unsaved text, which the editor makes, come first,
// and all of them are recorded behind the last. Undo never deletes what it cannot
// bring back, follows no link, and touches nothing in the sidecar's home. An error is
// record's or the end of ctx; what was done until then was recorded.
func (u *undoer) Undo(ctx context.Context, changes []tool.Change, merge, dryRun bool, record func(tool.Change) error) (done []tool.Change, conflicts []tool.Conflict, err error) {
	u.changing.Lock()
	defer u.changing.Unlock()
	plan := undo.Make(changes, present{u}, merge)
	conflicts = plan.Conflicts
	steps, inEditor := editorFirst(plan.Steps)
	recorded := 0
	keep := func() error { // what is done and not recorded yet
		for ; recorded < len(done) && !dryRun; recorded++ {
			if err := record(done[recorded]); err != nil {
				return err
			}
		}
		return nil
	}
	for i, s := range steps {
		if err := ctx.Err(); err != nil {
			return done, conflicts, errors.Join(keep(), err)
		}
		c, did, err := u.undoStep(ctx, s, dryRun)
		switch {
		case err != nil:
			conflicts = append(conflicts, tool.Conflict{Path: s.Path, Reason: tool.ReasonOf(err)})
			continue
		case !did:
			continue
		}
		done = append(done, c)
		if i < inEditor-1 {
			continue
		}
		if err := keep(); err != nil {
			return done, conflicts, err
		}
	}
	if !dryRun {
		u.closeDirectories(plan.Steps)
	}
	return done, conflicts, keep()
}

// editorFirst puts the steps first that the editor has to make, and says how many they
// are. While it is asked nothing may be recorded: who asked for the undo is to have
// the answer before any event of it, and the editor's question comes before that.
func editorFirst(all []undo.Step) (steps []undo.Step, inEditor int) {
	for _, s := range all {
		if s.Was.Unsaved {
			steps = slices.Insert(steps, inEditor, s)
			inEditor++
		} else {
			steps = append(steps, s)
		}
	}
	return steps, inEditor
}

// present are the files as they are. changing is held.
type present struct{ v *undoer }

// undoable resolves a path of a log anew. It was resolved when it was written down,
// so a link that is on it now was put there since.
func (u *undoer) undoable(path string) (Path, error) {
	p, err := u.entry(path)
	if err != nil {
		return Path{}, err
	}
	if _, home := pathname.Below(u.home, p.abs); u.home != "" && home {
		return Path{}, tool.OwnHome
	}
	if p.LinkObject() != "" {
		return Path{}, tool.Elsewhere
	}
	return p, nil
}

// Look says what is at a path.
func (t present) Look(path string) (undo.Image, error) {
	p, err := t.v.undoable(path)
	if err != nil {
		return undo.Image{}, err
	}
	return t.v.image(p)
}

func (d *documents) image(p Path) (undo.Image, error) {
	info, err := p.lstat()
	switch {
	case isMissing(err):
		return undo.Image{}, nil
	case err != nil:
		return undo.Image{}, err
	case info.IsDir():
		return undo.Image{Kind: undo.Dir, Mode: undo.Rights(info.Mode())}, nil
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := p.readlink()
		return undo.Image{Kind: undo.Link, Hash: hashOf([]byte(to))}, err
	}
	_, unsaved := d.buffers.dirty(p)
	if !info.Mode().IsRegular() && !unsaved {
		return undo.Image{Kind: undo.Special, Hash: specialOf(info)}, nil
	}
	was, err := d.snapshot(p)
	if err != nil && unsaved {
		return undo.Image{}, tool.Unsaved // and it cannot be changed there
	}
	if err != nil || !was.exists {
		return undo.Image{}, forPerson(err, false)
	}
	return undo.Image{Kind: undo.File, Hash: was.hash, Mode: undo.Rights(was.info.Mode()), Unsaved: was.open != nil}, nil
}

// mostInside bounds how much is looked at in one directory.
const mostInside = 10_000

// Inside is what is below a directory.
func (t present) Inside(dir string) (dirs, others []string, ok bool) {
	p, err := t.v.undoable(dir)
	if err != nil {
		return nil, nil, false
	}
	in, err := p.openDir()
	if err != nil {
		return nil, nil, false
	}
	defer in.Close()
	err = fs.WalkDir(durable.Tree(in), ".", func(rel string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || rel == ".":
			return err
		case len(dirs)+len(others) == mostInside:
			return fs.SkipAll
		case e.IsDir():
			dirs = append(dirs, dir+"/"+rel)
		default:
			others = append(others, dir+"/"+rel)
		}
		return nil
	})
	return dirs, others, err == nil && len(dirs)+len(others) < mostInside
}

// Read is the content of the file at a path.
func (t present) Read(path string) ([]byte, error) {
	p, err := t.v.undoable(path)
	if err != nil {
		return nil, err
	}
	was, err := t.v.snapshot(p)
	return was.data, forPerson(err, false)
}

// Load is a kept content.
func (t present) Load(hash string) ([]byte, error) { return t.v.Load(hash) }
