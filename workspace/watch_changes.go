package workspace

import (
	"path/filepath"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/fileuri"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/tracks"
	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

const (
	// commandChanges is how many changes of one command are named; what is beyond
	// cannot be undone.
	commandChanges = 2000
	// countedBytes is the largest file whose changed lines are counted.
	countedBytes = 256 << 10
)

// changes makes changes of what a command did, and keeps what an undo needs.
// changing is held.
func (w *watch) changes(found tracks.Found) []tool.Change {
	r := recorder{v: w.v, files: w.files}
	for _, dir := range found.Made {
		r.add(dir, tool.Change{Kind: "created", Directory: true, Checkpoint: undo.Image{Kind: undo.Dir, Mode: 0o755}.Name()})
	}
	for _, d := range found.Files {
		if r.full() {
			break
		}
		if c, is := r.change(d); is {
			r.add(d.Path, c)
		}
	}
	for _, d := range found.Gone {
		r.add(d.Path, tool.Change{Kind: "deleted", Directory: true, Checkpoint: undo.Image{Kind: undo.Dir, Mode: d.Mode}.Name()})
	}
	if r.more || r.unnamed {
		r.out = append(r.out, tool.Change{Path: undo.More, URI: fileuri.Of(w.v.Root()), Kind: "modified"})
	}
	return r.out
}

// recorder makes changes of what one command did.
type recorder struct {
	v     *Vault
	files *tracks.Watch
	out   []tool.Change
	more  bool // than there is room for
	// unnamed says that a name is no text: the log would have another one, and an undo
	// would make a file of that name.
	unnamed bool
}

// full says that there is no room for another change.
func (r *recorder) full() bool {
	r.more = r.more || len(r.out) >= commandChanges
	return r.more
}

func (r *recorder) add(path string, c tool.Change) {
	if r.full() {
		return
	}
	p, err := r.v.locate(path, false)
	if err != nil || !filepath.IsAbs(path) {
		return
	}
	c.Path, c.URI = p.Display(), p.URI()
	if !utf8.ValidString(c.Path) || !utf8.ValidString(c.From) {
		r.unnamed = true
		return
	}
	r.out = append(r.out, c)
}

// change says what a difference is; false where the content is the same after all.
func (r *recorder) change(d tracks.Difference) (c tool.Change, is bool) {
	was, now, changed := r.files.Contents(d, maxChangeBytes)
	if !changed {
		return c, false
	}
	c = tool.Change{Kind: "modified", Before: was.Hash, After: now.Hash}
	switch {
	case d.From != "":
		from, err := r.v.locate(d.From, false)
		if err != nil {
			return c, false
		}
		c.Kind, c.From = "moved", from.Display()
		return c, true
	case was.Kind == undo.Nothing:
		c.Kind = "created"
	case now.Kind == undo.Nothing:
		c.Kind = "deleted"
	}
	if was.Kept && r.v.keepLoose(was.Data) == nil {
		image := undo.Image{Kind: was.Kind, Hash: was.Hash}
		if was.Kind == undo.File && (now.Kind != undo.File || now.Mode != was.Mode) {
			image.Mode = was.Mode
		}
		c.Checkpoint = image.Name()
		if now.Kept {
			_ = r.v.keepLoose(now.Data) // without it nothing can be merged later
		}
	}
	if whole(was) && whole(now) && len(was.Data) <= countedBytes && len(now.Data) <= countedBytes {
		c.Additions, c.Deletions = countLines(textOrNote(was.Data), textOrNote(now.Data))
	}
	return c, true
}

// whole says that a content is known, or known to be nothing.
func whole(c tracks.Content) bool { return c.Kept || c.Kind == undo.Nothing }
