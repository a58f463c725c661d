package changes

import (
	"io/fs"

	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

// Content is what a path held or holds. The zero Content is nothing at all.
type Content struct {
	Kind undo.Kind   // Nothing, File or Link
	Mode fs.FileMode // permission bits
	Hash string      // hex sha256; "" where it could not be read in time
	Data []byte      // all of it where it is Kept; of a link where it leads
	Kept bool        // at most 1 MiB
}

// Contents is what was and what is at the path of a difference; of something that
// was moved twice the same. Of a new file that is too large to be kept, and has at
// most most bytes, the hash is made all the same: it says that an undo may take it
// away. changed is false where nothing is another after all.
func (w *Watch) Contents(d Difference, most int64) (was, is Content, changed bool) {
	if d.From != "" {
		if was = w.was(d.was); was.Hash == "" {
			was = w.is(d.Path, d.is, most)
		}
		return was, was, true
	}
	was, is = w.was(d.was), w.is(d.Path, d.is, most)
	switch {
	case d.was == nil || d.is == nil || d.was.stat.mode != d.is.stat.mode:
		return was, is, true
	case was.Hash != "":
		return was, is, was.Hash != is.Hash
	}
	// Another name or another owner is nothing that was written.
	return was, is, d.was.stat.size != d.is.stat.size || d.was.stat.mtime != d.is.stat.mtime
}

// was is what a file held, where that was read in time.
func (w *Watch) was(seen *snapshot) Content {
	c := seen.content()
	if seen == nil {
		return c
	}
	w.t.mu.Lock()
	held := seen.held
	w.t.mu.Unlock()
	if data, ok := w.t.shadow.get(held); ok {
		c.Hash, c.Data, c.Kept = held.hash, data, true
	}
	return c
}

// is is what a file holds.
func (w *Watch) is(path string, seen *snapshot, most int64) Content {
	c := seen.content()
	switch {
	case seen == nil:
		return c
	case seen.stat.size <= shadowedBytes:
		w.t.capture(path, seen)
		return w.was(seen)
	case seen.stat.size > most || seen.stat.size > w.left:
		return c
	}
	w.left -= seen.stat.size
	if data, still := readStill(path, seen.stat, most); still {
		c.Hash = undo.HashOf(data)
	}
	return c
}

// content is what is known without reading.
func (s *snapshot) content() Content {
	switch {
	case s == nil:
		return Content{}
	case s.stat.mode&fs.ModeSymlink != 0:
		return Content{Kind: undo.Link, Mode: s.stat.mode.Perm()}
	}
	return Content{Kind: undo.File, Mode: s.stat.mode.Perm()}
}
