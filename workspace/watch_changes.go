package workspace

import (
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

const (
	// commandChanges is how many changes of one command are named; what is beyond
	// cannot be undone.
	commandChanges = 2000
	// hashedBytes bounds what is read of large new files of one command.
	hashedBytes = 128 << 20
	// countedBytes is the largest file whose changed lines are counted.
	countedBytes = 256 << 10
)

// changesOf makes changes of differences, and keeps what an undo needs.
func (v *Vault) changesOf(found []difference, made []string, gone map[string]fs.FileMode) []tool.Change {
	r := recorder{v: v, left: hashedBytes}
	for _, dir := range made {
		r.add(dir, tool.Change{Kind: "created", Directory: true, Checkpoint: undo.Image{Kind: undo.Dir, Mode: 0o755}.Name()})
	}
	for _, d := range found {
		if c, is := r.change(d); is {
			r.add(d.path, c)
		}
	}
	for _, dir := range slices.Backward(slices.Sorted(maps.Keys(gone))) {
		r.add(dir, tool.Change{Kind: "deleted", Directory: true, Checkpoint: undo.Image{Kind: undo.Dir, Mode: gone[dir]}.Name()})
	}
	if r.more {
		r.out = append(r.out, tool.Change{Path: undo.More, URI: fileURI(v.Root()), Kind: "modified"})
	}
	return r.out
}

// recorder makes changes of what one command did.
type recorder struct {
	v    *Vault
	left int64 // of hashedBytes
	out  []tool.Change
	more bool
}

func (r *recorder) add(path string, c tool.Change) {
	if len(r.out) >= commandChanges {
		r.more = true
		return
	}
	p, err := r.v.locate(path, false)
	if err != nil || !filepath.IsAbs(path) {
		return
	}
	c.Path, c.URI = p.Display(), p.URI()
	r.out = append(r.out, c)
}

// content is what one side of a difference holds.
type content struct {
	kind undo.Kind
	hash string
	data []byte
	kept bool // data is all of it
}

// change says what a difference is; false where the content is the same after all.
func (r *recorder) change(d difference) (c tool.Change, is bool) {
	if len(r.out) >= commandChanges {
		return c, true
	}
	if d.from != "" {
		from, err := r.v.locate(d.from, false)
		if err != nil {
			return c, false
		}
		was := r.was(d.was)
		if was.hash == "" {
			was = r.now(d.path, d.is)
		}
		c = tool.Change{Kind: "moved", From: from.Display(), Before: was.hash, After: was.hash}
		return c, true
	}
	var was, now content
	if d.was != nil {
		was = r.was(d.was)
	}
	if d.is != nil {
		now = r.now(d.path, d.is)
	}
	c = tool.Change{Kind: "modified", Before: was.hash, After: now.hash}
	mode := d.was != nil && (d.is == nil || d.was.stamp.mode != d.is.stamp.mode)
	switch {
	case d.was == nil:
		c.Kind = "created"
	case d.is == nil:
		c.Kind = "deleted"
	case was.hash != "" && was.hash == now.hash && was.kind == now.kind && !mode:
		return c, false
	case was.hash == "" && d.was.stamp.size == d.is.stamp.size && d.was.stamp.mtime == d.is.stamp.mtime && !mode:
		return c, false // another name, another owner: nothing that was written
	}
	if d.was != nil && was.kept && r.v.keepLoose(was.data) == nil {
		image := undo.Image{Kind: was.kind, Hash: was.hash}
		if mode && was.kind == undo.File {
			image.Mode = d.was.stamp.mode.Perm()
		}
		c.Checkpoint = image.Name()
		if d.is != nil && now.kept {
			_ = r.v.keepLoose(now.data) // without it nothing can be merged later
		}
	}
	if len(was.data) <= countedBytes && len(now.data) <= countedBytes && (was.kept || d.was == nil) && (now.kept || d.is == nil) {
		c.Additions, c.Deletions = countLines(textOrNote(was.data), textOrNote(now.data))
	}
	return c, true
}

// kind is what an undo has to put there again.
func (t *sighting) kind() undo.Kind {
	if t.stamp.mode&fs.ModeSymlink != 0 {
		return undo.Link
	}
	return undo.File
}

// was is what a file held before, where that was read in time.
func (r *recorder) was(t *sighting) content {
	tracks := &r.v.tracks
	tracks.mu.Lock()
	held := t.held
	tracks.mu.Unlock()
	c := content{kind: t.kind()}
	if data, ok := tracks.shadow.get(held); ok {
		c.hash, c.data, c.kept = held.hash, data, true
	}
	return c
}

// now is what a file holds. Of a large one only the hash is made: it says that an
// undo may take it away.
func (r *recorder) now(path string, t *sighting) content {
	c := content{kind: t.kind()}
	if t.stamp.size <= shadowedBytes {
		r.v.tracks.capture(path, t)
		return r.was(t)
	}
	if t.stamp.size > maxChangeBytes || t.stamp.size > r.left {
		return c
	}
	r.left -= t.stamp.size
	if data, err := readStill(path, t.stamp, maxChangeBytes); err == nil {
		c.hash = hashOf(data)
	}
	return c
}
