package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/changes"
	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

const (
	// commandChanges is how many changes of one command are named one by one. The others
	// are in a list that is kept as a checkpoint.
	commandChanges = 2000
	// countedBytes is the largest file whose changed lines are counted.
	countedBytes = 256 << 10
)

// changes makes changes of what a command did, and keeps what an undo needs.
// changing is held.
func (w *watch) changes(found changes.Found) []tool.Change {
	r := recorder{by: w.by, files: w.files}
	made := func(dir string) {
		r.add(dir, tool.Change{Kind: "created", Directory: true, Checkpoint: undo.Image{Kind: undo.Dir, Mode: 0o755}.Name()})
	}
	gone := func(d changes.Directory) {
		r.add(d.Path, tool.Change{Kind: "deleted", Directory: true, After: r.special(d.Path), Checkpoint: undo.Image{Kind: undo.Dir, Mode: undo.Rights(d.Mode)}.Name()})
	}
	// Where a file is in the place of a directory, or the other way round, what went
	// comes before what came: an undo reads the changes of a path in their order.
	came, went := map[string]bool{}, map[string]bool{}
	for _, d := range found.Files {
		came[d.Path] = d.Now()
		went[d.Path] = went[d.Path] || !d.Now()
		if d.From != "" {
			went[d.From] = true
		}
	}
	for _, d := range found.Gone {
		if came[d.Path] {
			gone(d)
		}
	}
	for _, dir := range found.Made {
		if !went[dir] {
			made(dir)
		}
	}
	for _, d := range found.Files {
		if c, is := r.change(d); is {
			r.add(d.Path, c)
		}
	}
	for _, dir := range found.Made {
		if went[dir] {
			made(dir)
		}
	}
	for _, d := range found.Gone {
		if !came[d.Path] {
			gone(d)
		}
	}
	return w.listed(r.out, r.unnamed)
}

// asSeen names a path at which something was seen. No link on it is followed: where a
// command has put one in the place of a directory, what was in that directory would
// get the names of what the link leads to.
func (w *places) asSeen(abs string) Path {
	now := w.folders.Now()
	p := Path{disk: w.disk, turns: &w.turns, raw: abs, abs: abs, objects: []string{now.Object(abs)}}
	p.root, p.rel = now.Inside(abs, false)
	return p
}

// recorder makes changes of what one command did.
type recorder struct {
	by    *follower
	files *changes.Watch
	out   []tool.Change
	// unnamed says that a name is no text: the log would have another one, and an undo
	// would make a file of that name.
	unnamed bool
}

func (r *recorder) add(path string, c tool.Change) {
	if !filepath.IsAbs(path) {
		return
	}
	p := r.by.asSeen(path)
	c.Path, c.URI = p.Display(), p.URI()
	if !utf8.ValidString(c.Path) || !utf8.ValidString(c.From) {
		r.unnamed = true
		return
	}
	r.out = append(r.out, c)
}

// change says what a difference is; false where the content is the same after all.
func (r *recorder) change(d changes.Difference) (c tool.Change, is bool) {
	was, now, changed := r.files.Contents(d, maxChangeBytes)
	if !changed {
		return c, false
	}
	c = tool.Change{Kind: "modified", Before: was.Hash, After: now.Hash, With: namesOf(d.With)}
	switch {
	case d.From != "":
		c.Kind, c.From = "moved", r.by.asSeen(d.From).Display()
		return c, true
	case was.Kind == undo.Nothing:
		c.Kind = "created"
	case now.Kind == undo.Nothing:
		c.Kind, c.After = "deleted", r.special(d.Path)
	}
	if was.Kept && r.by.keepLoose(was.Data) == nil {
		image := undo.Image{Kind: was.Kind, Hash: was.Hash}
		if was.Kind == undo.File && (now.Kind != undo.File || now.Mode != was.Mode) {
			image.Mode = undo.Rights(was.Mode)
		}
		c.Checkpoint = image.Name()
		if now.Kept {
			_ = r.by.keepLoose(now.Data) // without it nothing can be merged later
		}
	}
	if whole(was) && whole(now) && len(was.Data) <= countedBytes && len(now.Data) <= countedBytes {
		c.Additions, c.Deletions = countLines(textOrNote(was.Data), textOrNote(now.Data))
	}
	return c, true
}

// special is what a pipe, a socket or a device at a path is known by, "" where there is
// none. It is no change of its own, and an undo has to know whose it is.
func (r *recorder) special(path string) string {
	if p := r.by.asSeen(path); p.root != nil {
		if info, err := p.lstat(); err == nil {
			return specialOf(info)
		}
	}
	return ""
}

// whole says that a content is known, or known to be nothing.
func whole(c changes.Content) bool { return c.Kept || c.Kind == undo.Nothing }

// mostListBytes is how long one list is: what is kept is read whole.
const mostListBytes = 16 << 20

// listed are the changes of a command as they are told: the first ones one by one, the
// others as one change, whose checkpoint is the list of them (as several, where the names
// are very long). unnamed: there are further ones that have no name.
func (w *watch) listed(all []tool.Change, unnamed bool) []tool.Change {
	more := tool.Change{Path: undo.More, URI: fileuri.Of(w.by.Root()), Kind: "modified"}
	out := all
	if len(all) > commandChanges {
		out = all[:commandChanges:commandChanges]
		lists, err := w.by.keepChanges(all[commandChanges:])
		for _, more.Checkpoint = range lists {
			out = append(out, more)
		}
		what := "all of them"
		if err != nil {
			what, unnamed = "not all of the others: "+err.Error(), true
		}
		w.many = fmt.Sprintf("(%d files and directories were changed; the first %d are listed one by one, and an undo brings back %s)", len(all), commandChanges, what)
	}
	if unnamed {
		more.Checkpoint = ""
		out = append(out, more)
	}
	return out
}

// keepChanges keeps lists of changes, one change a line.
func (k *checkpoints) keepChanges(changes []tool.Change) (checkpoints []string, err error) {
	var list bytes.Buffer
	keep := func() error {
		id, err := k.Keep(list.Bytes())
		if err == nil {
			checkpoints = append(checkpoints, id)
		}
		list.Reset()
		return err
	}
	for _, c := range changes {
		if err := json.NewEncoder(&list).Encode(c); err != nil {
			return checkpoints, err
		}
		if list.Len() > mostListBytes {
			if err := keep(); err != nil {
				return checkpoints, err
			}
		}
	}
	if list.Len() > 0 {
		err = keep()
	}
	return checkpoints, err
}

// MoreChanges are the changes that a change stands for which has this checkpoint: those of
// a command that are not named one by one.
func (k *checkpoints) MoreChanges(checkpoint string) (changes []tool.Change, err error) {
	raw, err := k.Load(checkpoint)
	if err != nil {
		return nil, err
	}
	for list := json.NewDecoder(bytes.NewReader(raw)); ; {
		var c tool.Change
		switch err := list.Decode(&c); {
		case errors.Is(err, io.EOF):
			return changes, nil
		case err != nil:
			return nil, fmt.Errorf("read the list of changes %s: %w", checkpoint, err)
		}
		changes = append(changes, c)
	}
}
