package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/agent-sidecar/agent-sidecar/runner/seam"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Look says how the workspace is; the zero Seen where nobody answers.
func (h *Hands) Look(what seam.ToSee) seam.Seen {
	s, _ := glance[seam.Seen](h.link, seam.Look, what)
	return s
}

// Unsaved names no file: what an editor has open is on this machine.
func (h *Hands) Unsaved() []string { return nil }

// ReadOnly says that nothing can be written there, or that nobody answers.
func (h *Hands) ReadOnly() bool {
	s, ok := glance[seam.Seen](h.link, seam.Look, seam.ToSee{})
	return !ok || s.ReadOnly
}

// Unfollowed implements session.Files.
func (h *Hands) Unfollowed(ctx context.Context, since time.Time) (count int, first []string, all bool) {
	u, err := ask[seam.Unfollowed](ctx, h.link, seam.Since, since)
	return u.Count, u.First, u.All && err == nil
}

// StartedDiff implements session.Files.
func (h *Hands) StartedDiff(object, was string) string {
	diff, _ := glance[string](h.link, seam.Started, seam.DiffOf{Object: object, Was: was})
	return diff
}

// Folder implements session.Files.
func (h *Hands) Folder(name string) (object string, err error) {
	return ask[string](context.Background(), h.link, seam.Object, name)
}

// Cited implements session.Files. Where the path leads is judged before the file is asked
// for.
func (h *Hands) Cited(path string, may func(object string) bool) (io.ReadCloser, error) {
	to := h.Walk("", path)
	if to.Unknown != "" {
		return nil, errors.New(to.Unknown)
	}
	if slices.ContainsFunc(to.Objects, func(o string) bool { return !may(o) }) {
		return nil, fmt.Errorf("%s may not be read", path)
	}
	f, err := ask[seam.File](context.Background(), h.link, seam.Get, path)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(f.Data)), nil
}

// Undo implements session.Files.
func (h *Hands) Undo(ctx context.Context, changes []tool.Change, merge, dryRun bool, record func(tool.Change) error) ([]tool.Change, []tool.Conflict, error) {
	var failed error
	var key string
	key, forget := h.hear(func(what any) {
		if c, is := what.(tool.Change); is && failed == nil {
			if failed = record(c); failed != nil {
				h.cancel(key)
			}
		}
	})
	defer forget()
	stop := context.AfterFunc(ctx, func() { h.cancel(key) })
	defer stop()
	out, err := ask[seam.AllUndone](context.WithoutCancel(ctx), h.link, seam.Undo, seam.ToUndo{Key: key, Changes: changes, Merge: merge, DryRun: dryRun})
	if err == nil && out.Error != "" {
		err = errors.New(out.Error)
	}
	if ctx.Err() != nil && err != nil {
		err = context.Cause(ctx)
	}
	return h.known(out.Done), out.Conflicts, errors.Join(failed, err)
}

// LostChanges implements session.Files.
func (h *Hands) LostChanges(line, callID string) (changes []tool.Change, known bool) {
	c, _ := glance[seam.Changes](h.link, seam.Lost, seam.LostOf{Line: line, CallID: callID})
	return h.known(c.Changes), c.Known
}

// MoreChanges implements session.Files.
func (h *Hands) MoreChanges(checkpoint string) ([]tool.Change, error) {
	changes, err := ask[[]tool.Change](context.Background(), h.link, seam.More, checkpoint)
	return h.known(changes), err
}

// Compare implements session.Files.
func (h *Hands) Compare(was tool.Change) (now tool.Change, differs bool) {
	c, ok := glance[seam.Compared](h.link, seam.Compare, was)
	if !ok {
		return was, true
	}
	return h.known([]tool.Change{c.Now})[0], c.Differs
}

// CheckpointText implements session.Files.
func (h *Hands) CheckpointText(hash string) (text string, isText bool, size int, err error) {
	t, err := ask[seam.KeptText](context.Background(), h.link, seam.Text, hash)
	return t.Text, t.IsText, t.Size, err
}

// JobNews implements session.Jobs.
func (h *Hands) JobNews(session string) []string {
	if !h.mayHaveJobs(session) {
		return nil
	}
	news, _ := glance[[]string](h.link, seam.JobNews, session)
	return news
}

// StopJob implements session.Jobs.
func (h *Hands) StopJob(session, callID string) (stopped bool) {
	stopped, _ = glance[bool](h.link, seam.JobStop, seam.JobOf{Session: session, CallID: callID})
	return stopped
}

// endWait bounds how long the end of jobs is waited for: who leaves a machine that is slow, or
// hangs, need not. They end there also when nobody waits, with the connection at the latest.
const endWait = 2 * time.Second

// EndJobs implements session.Jobs.
func (h *Hands) EndJobs(session string) {
	if p := h.now(); p != nil {
		ctx, cancel := context.WithTimeout(context.Background(), endWait)
		defer cancel()
		_, _ = seam.Ask[bool](ctx, p, seam.JobEnd, session) // nothing depends on it
	}
	h.forgets(session)
}
