package workspace

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

// undoStep takes one step, after a last look. did is false for a directory that
// goes and is not empty: what is in it is not the agent's. changing is held.
func (u *undoer) undoStep(ctx context.Context, s undo.Step, dryRun bool) (c tool.Change, did bool, err error) {
	if dryRun && s.Behind {
		c, err = u.foretell(s)
		return c, err == nil, err
	}
	p, err := u.undoable(s.Path)
	if err != nil {
		return c, false, err
	}
	now, err := u.image(p)
	if err != nil {
		return c, false, err
	}
	if s.Behind && now.Kind == undo.Dir && s.Want.Kind != undo.Dir {
		return c, false, tool.DirectoryInWay // something in it is not the agent's
	}
	if now != s.Was {
		return c, false, tool.Changing
	}
	appears := s.Was.Kind == undo.Nothing || s.Was.Kind == undo.Special
	if appears && u.shields.Revives(p.abs) {
		return c, false, tool.Repository
	}
	c = tool.Change{Path: p.Display(), URI: p.URI(), Kind: "modified", Before: s.Was.Hash, After: s.Want.Hash}
	switch {
	case appears:
		c.Kind, c.Before = "created", ""
	case s.Want.Kind == undo.Nothing:
		c.Kind = "deleted"
	}
	switch {
	case s.From != "":
		err = u.moveBack(s, p, &c, dryRun)
	case s.Was.Kind == undo.Dir && s.Want.Kind == undo.Nothing:
		return u.dropDir(s, p, c, dryRun)
	case s.Was.Kind == undo.Special && s.Want.Kind == undo.Nothing: // nothing is lost, and a directory comes
		if !dryRun {
			err = p.remove()
		}
		return c, false, err
	case s.Want.Kind == undo.Dir && s.Was.Kind == undo.Nothing:
		c.Directory, c.Checkpoint = true, s.Want.Name()
		if !dryRun {
			err = p.makeDir(s.Want.Mode | 0o700) // what it held comes next
		}
	case s.Was.Kind == undo.Dir || s.Want.Kind == undo.Dir:
		err = tool.DirectoryInWay
	default:
		err = u.rewrite(ctx, s, p, &c, dryRun)
	}
	err = forPerson(err, s.Was.Unsaved)
	if !dryRun && err == nil && !s.Was.Unsaved { // put accepts what it writes itself
		hash := s.Want.Hash
		if s.Want.Kind == undo.Dir {
			hash = shields.OnlyDir
		}
		u.accept(p, hash)
		if from, err := u.entry(s.From); err == nil && s.From != "" {
			u.accept(from, "")
		}
	}
	return c, true, err
}

// foretell says what a step will do for which the steps before it make room: nothing
// can be looked at yet.
func (u *undoer) foretell(s undo.Step) (tool.Change, error) {
	abs, err := u.absolute(s.Path)
	if err != nil {
		return tool.Change{}, err
	}
	c := tool.Change{Path: s.Path, URI: fileuri.Of(abs), Kind: "created", After: s.Want.Hash}
	if s.Want.Kind == undo.Dir {
		c.Directory, c.Checkpoint = true, s.Want.Name()
		return c, nil
	}
	if s.From != "" {
		return c, u.moveBack(s, Path{}, &c, true) // there is no place to look at yet
	}
	data := s.Data
	if data == nil {
		if data, err = u.Load(s.Want.Hash); err != nil {
			return tool.Change{}, err
		}
	}
	c.Additions, c.Deletions = countLines("", textOrNote(data))
	return c, nil
}

// forPerson is why a step was not taken, for a person: the errors themselves tell a
// model what to do.
func forPerson(err error, unsaved bool) error {
	switch {
	case err == nil, errors.As(err, new(tool.Reason)):
		return err
	case errors.Is(err, errNoAnswer), errors.Is(err, errStopped):
		return tool.MaybeInEditor
	case errors.Is(err, errTyped), errors.Is(err, errDirty):
		return tool.Unsaved
	case errors.Is(err, errAppeared):
		return tool.AppearedSince
	case errors.Is(err, errChanged), errors.Is(err, openat.ErrMoved), errors.Is(err, errCrossed):
		return tool.Changing
	case unsaved:
		return tool.NotInEditor
	}
	return err
}

// rewrite makes a file or link what it was, or takes it away. What it is now is
// kept before.
func (u *undoer) rewrite(ctx context.Context, s undo.Step, p Path, c *tool.Change, dryRun bool) error {
	var was snapshot
	var err error
	switch s.Was.Kind {
	case undo.File:
		if was, err = u.snapshot(p); err == nil && was.hash != s.Was.Hash {
			err = tool.Changing
		}
	case undo.Link:
		if !dryRun {
			c.Checkpoint, _, err = u.keepLink(p)
		}
	}
	data := s.Data
	if err == nil && data == nil && s.Want.Kind != undo.Nothing {
		if data = was.data; s.Want.Hash != s.Was.Hash {
			data, err = u.Load(s.Want.Hash)
		}
	}
	if err != nil {
		return err
	}
	if doc, notText := decodeDoc(data); was.open != nil && (notText != nil || !doc.utf8) {
		return tool.Unsaved
	}
	c.Additions, c.Deletions = countLines(textOrNote(was.data), textOrNote(data))
	if dryRun {
		return nil
	}
	if was.exists {
		if c.Checkpoint, err = u.Keep(was.data); err == nil && (s.Mode || s.Want.Kind != undo.File) {
			c.Checkpoint, err = u.keep(was)
		}
		if err != nil {
			return err
		}
	}
	if s.Data != nil { // a merged text is nowhere else yet
		if _, err = u.Keep(data); err != nil {
			return err
		}
	}
	switch {
	case s.Want.Kind == undo.Nothing && s.Was.Kind == undo.File:
		return p.removeSeen(was)
	case s.Want.Kind == undo.Nothing:
		return p.remove()
	case s.Want.Kind == undo.Link || s.Was.Kind == undo.Link || s.Was.Kind == undo.Special:
		return u.replaceLink(ctx, s, p, data)
	}
	return u.putAgain(ctx, s, p, was, data)
}

// putAgain puts a kept content into its file. The mode of a file that is there
// stays, unless it was what the agent had changed.
func (u *undoer) putAgain(ctx context.Context, s undo.Step, p Path, was snapshot, data []byte) error {
	if !was.exists && s.Want.Mode != 0 {
		was.info = modeOnly{mode: s.Want.Mode}
	}
	if !was.exists || was.hash != hashOf(data) {
		if err := u.put(ctx, change{path: p, was: was, data: data, from: textOrNote(was.data), to: textOrNote(data), repository: true}); err != nil {
			return err
		}
		_ = u.changedMemory(p, was, hashOf(data)) // the next session will ask about it
	}
	if s.Mode && was.exists && s.Want.Mode != 0 && undo.Rights(was.info.Mode()) != s.Want.Mode {
		return p.chmod(s.Want.Mode)
	}
	return nil
}

// modeOnly is a file of which nothing but the mode is known.
type modeOnly struct {
	fs.FileInfo
	mode fs.FileMode
}

func (m modeOnly) Mode() fs.FileMode { return m.mode.Perm() }
func (m modeOnly) Sys() any          { return nil }

// replaceLink makes p a link, or a file where a link is.
func (u *undoer) replaceLink(ctx context.Context, s undo.Step, p Path, data []byte) error {
	if s.Was.Kind != undo.Nothing {
		if err := p.remove(); err != nil {
			return err
		}
	}
	if s.Want.Kind == undo.File {
		return u.putAgain(ctx, s, p, snapshot{}, data)
	}
	if err := p.makeParents(); err != nil {
		return err
	}
	dir, base, err := p.parent()
	if err != nil {
		return err
	}
	defer dir.Close()
	return openat.Plain(p.disk.Do(durable.OpCreate, p.abs, func() error { return dir.Symlink(string(data), base) }))
}

// moveBack renames what a move has put elsewhere.
func (u *undoer) moveBack(s undo.Step, p Path, c *tool.Change, dryRun bool) error {
	from, err := u.undoable(s.From)
	if err != nil {
		return err
	}
	now, err := u.image(from)
	if err != nil {
		return err
	}
	if now.Hash != s.Want.Hash || now.Hash == "" {
		return tool.Changing
	}
	c.Kind, c.From, c.Before, c.After = "moved", from.Display(), now.Hash, now.Hash
	r := relocation{from: from, to: p}
	if r.info, err = from.lstat(); err != nil || dryRun {
		return err
	}
	if now.Kind == undo.Link {
		c.Checkpoint, _, err = u.keepLink(from)
	} else if r.was, err = from.snapshot(); err == nil && r.was.hash != now.Hash {
		err = tool.Changing
	} else if err == nil {
		c.Checkpoint, err = u.Keep(r.was.data)
	}
	if err != nil {
		return err
	}
	return r.rename()
}

// dropDir removes a directory that the agent made, where nothing is in it.
func (u *undoer) dropDir(s undo.Step, p Path, c tool.Change, dryRun bool) (_ tool.Change, did bool, err error) {
	c.Directory, c.Checkpoint = true, s.Was.Name()
	if dryRun {
		return c, true, nil
	}
	if empty, err := p.emptyDir(); err != nil || !empty {
		return c, false, err
	}
	err = p.remove()
	u.accept(p, "")
	return c, true, err
}

// closeDirectories gives directories that came back the mode they had, which may
// have kept others, and us, from writing into them.
func (u *undoer) closeDirectories(steps []undo.Step) {
	for _, s := range slices.Backward(steps) {
		if s.Want.Kind != undo.Dir || s.Want.Mode == 0 {
			continue
		}
		if p, err := u.undoable(s.Path); err == nil {
			_ = p.chmod(s.Want.Mode) // it is there with what it held; that is what counts
		}
	}
}

// makeDir makes the directory p and those above it.
func (p Path) makeDir(mode fs.FileMode) error {
	if err := p.makeParents(); err != nil {
		return err
	}
	dir, base, err := p.parent()
	if err != nil {
		return err
	}
	defer dir.Close()
	err = p.disk.Do(durable.OpMkdir, p.abs, func() error { return dir.Mkdir(base, mode.Perm()) })
	if err != nil {
		return openat.Plain(err)
	}
	p.writer(dir).Sync()
	return nil
}

// chmod changes the permission bits of the entry p.
func (p Path) chmod(mode fs.FileMode) error {
	dir, base, err := p.parent()
	if err != nil {
		return err
	}
	defer dir.Close()
	return openat.Plain(p.disk.Do(durable.OpWrite, p.abs, func() error { return dir.Chmod(base, mode.Perm()) }))
}
