package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// moreChanged is the path of a change that stands for all those of a command which
// are not named one by one.
const moreChanged = "."

// Touched are the files that a run, or for "" the whole session, has changed, its
// sub-agents included. incomplete says that a command has changed more files than it
// was seen to.
func (l *logReader) Touched(ctx context.Context, run string) (files []history.Touched, incomplete bool, err error) {
	deeds, err := l.deedsTo(ctx, l.Seq())
	if err != nil {
		return nil, false, err
	}
	if run != "" && !slices.ContainsFunc(deeds, func(d history.Deed) bool { return d.Run == run }) {
		return nil, false, &InvalidError{"runId", fmt.Sprintf("nothing in the session is called %q", control.Title(run, 80))}
	}
	deeds = slices.DeleteFunc(deeds, func(d history.Deed) bool { return d.File != nil && l.twinned(d.File.Runner) }) // what of it came here counts
	for _, t := range history.TouchedBy(deeds, run) {
		if t.Path == moreChanged {
			incomplete = true
			continue
		}
		files = append(files, t)
	}
	return files, incomplete, nil
}

// Compare says how a file that was changed is now; differs is false for one that is
// what it was before.
func (l *logReader) Compare(t history.Touched) (now tool.Change, differs bool) {
	f := t.First
	was := tool.Change{Path: t.Path, From: t.From, Kind: f.Kind, Before: f.Before, After: f.After, Checkpoint: f.Checkpoint}
	return l.filesOf(f.Runner).Compare(was)
}

// filesOf are those of the machine of a runner; where it is not configured any more, none.
func (l *logReader) filesOf(runner string) Files {
	place, err := l.deps.At(runner, l.root.id)
	if err != nil {
		return None{}
	}
	return place.Files
}

// twinned says that what is changed on the machine of a runner comes here.
func (l *logReader) twinned(runner string) bool {
	place, err := l.deps.At(runner, l.root.id)
	return err == nil && place.Twin != nil
}

// Why there is no checkpoint: the session has replaced no such content itself, or it
// has, and it is not kept any more.
var (
	ErrNoCheckpoint   = errors.New("the session has no such checkpoint")
	ErrCheckpointGone = errors.New("the checkpoint is no longer kept")
)

// Checkpoint is what a file held before a change of this session, by its hash. text
// is "" where it is no text; size is in bytes. What the session began with is not its
// own: a bundle's lines may name anything, also what another session has kept.
func (l *logReader) Checkpoint(ctx context.Context, hash string) (text string, isText bool, size int, err error) {
	deeds, err := l.deedsTo(ctx, l.Seq())
	if err != nil {
		return "", false, 0, err
	}
	mine := func(d history.Deed) bool {
		if d.File == nil || !d.Own || hash == "" {
			return false
		}
		kept, _, _ := strings.Cut(d.File.Checkpoint, ".")
		return kept == hash || d.File.Checkpoint == "" && d.File.Before == hash
	}
	if !slices.ContainsFunc(deeds, mine) {
		return "", false, 0, ErrNoCheckpoint
	}
	at := deeds[slices.IndexFunc(deeds, mine)].File.Runner
	if text, isText, size, err = l.filesOf(at).CheckpointText(hash); err != nil {
		err = fmt.Errorf("%w: %w", ErrCheckpointGone, err)
	}
	return text, isText, size, err
}

// deedsTo are all up to a seq, with the changes of commands that are not named one by one
// in the log. Where their list is not kept any more the change that has it stands for them.
func (l *logReader) deedsTo(ctx context.Context, tail int64) ([]history.Deed, error) {
	deeds, err := history.Deeds(ctx, l.dir, tail)
	if err != nil || !slices.ContainsFunc(deeds, hasList) {
		return deeds, err
	}
	var out []history.Deed
	for _, d := range deeds {
		var more []tool.Change
		if hasList(d) {
			more, err = l.filesOf(d.File.Runner).MoreChanges(d.File.Checkpoint)
		}
		if !hasList(d) || err != nil {
			out = append(out, d)
			continue
		}
		for _, c := range more {
			c.Runner = d.File.Runner
			one, file := d, fileChanged(d.File.CallID, c)
			one.File = &file
			out = append(out, one)
		}
	}
	return out, nil
}

// hasList says that a change stands for others. What the session did not do itself names
// whatever it likes.
func hasList(d history.Deed) bool {
	return d.File != nil && d.Own && d.File.Path == moreChanged && d.File.Checkpoint != ""
}
