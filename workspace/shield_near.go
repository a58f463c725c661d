package workspace

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/folders"
)

// nearDirs are directories near the top of a folder whose names were read before and are
// as they were. The zero value knows none.
type nearDirs struct {
	mu   sync.Mutex // guards the rest
	dirs map[string]*nearDir
}

// nearDir is what counts of the names in one directory.
type nearDir struct {
	mark  int
	names int // all of them
	parts repositoryParts
	found []nearName // repositories, and what is protected
	dirs  []string   // the others that somebody may look into
}

type nearName struct {
	rel                         string
	dir, repository, justSecret bool
}

// near is what counts in a directory that is looked into. It is remembered where the
// system tells when its names are others.
func (f *finder) near(rel string) *nearDir {
	abs := shield{root: f.root, rel: rel}.abs()
	most := max(f.left, 0) + 1
	c := f.index
	c.near.mu.Lock()
	defer c.near.mu.Unlock()
	d := c.near.dirs[abs]
	if d == nil || d.names > most || !c.notify.SameSince(abs, d.mark) {
		delete(c.near.dirs, abs)
		mark := c.notify.Mark()
		entries, err := namesBelow(f.root, rel, most)
		if d = f.sort(rel, entries); err == nil && len(entries) < most {
			if c.near.dirs == nil || len(c.near.dirs) >= shieldEntries {
				c.near.dirs = map[string]*nearDir{}
			}
			d.mark = mark
			c.near.dirs[abs] = d
		}
	}
	f.left -= d.names
	return d
}

// sort says what the names are to others.
func (f *finder) sort(rel string, entries []fs.DirEntry) *nearDir {
	d := &nearDir{names: len(entries)}
	for _, e := range entries {
		name, isDir := e.Name(), e.IsDir()
		at := path.Join(rel, name)
		d.parts |= partOf(name, isDir)
		switch object := objectAt(at, isDir); {
		case name == ".git":
			d.found = append(d.found, nearName{rel: at, dir: isDir, repository: true})
		case f.g.Protected(object):
			d.found = append(d.found, nearName{rel: at, dir: isDir, justSecret: f.g.MerelySecret != nil && f.g.MerelySecret(object)})
		case isDir && name != "node_modules" && name != f.output:
			d.dirs = append(d.dirs, at)
		}
	}
	return d
}

// namesBelow are at most so many names of a directory of a folder.
func namesBelow(r *folders.Root, rel string, most int) ([]fs.DirEntry, error) {
	dir, err := durable.DirIn(r.Dir, rel)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := namesIn(dir, most)
	if errors.Is(err, io.EOF) { // an empty one
		err = nil
	}
	return entries, err
}
