package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/workspace/walk"
)

// sweepEntries is how many names are looked at for a command that reads all that is
// below a directory.
const sweepEntries = 50_000

// sweep looks for files below a directory that a command reads without naming them.
type sweep struct {
	in      *places
	asks    asks
	links   bool
	ends    []string
	left    int
	objects []string
}

// Below answers control which files below a directory somebody wants to be asked about,
// by each object that they are. The directory is named as in a command that runs in dir;
// a file has none below it. With links what they lead to counts, too; where ends are
// given, only names that end so. complete is false where it gave up: too many names, a
// directory that cannot be listed, with links one to another directory (satisfies
// control.Searcher).
func (v *Vault) Below(dir, word string, links bool, ends []string, asked func(object string) bool) (objects []string, complete bool) {
	if sane(word) != nil {
		return nil, false
	}
	if !filepath.IsAbs(word) {
		if dir == "" {
			dir = v.Root()
		}
		if !filepath.IsAbs(dir) {
			return nil, false
		}
		word = walk.Text(dir, word)
	}
	base, err := v.Path(word)
	if err != nil {
		return nil, false
	}
	info, err := os.Lstat(base.abs)
	if err != nil || !info.IsDir() {
		return nil, err == nil || os.IsNotExist(err)
	}
	s := sweep{in: v.places, links: links, ends: ends, left: sweepEntries, asks: newAsks(v, asked)}
	if !s.folder(base, "") {
		return nil, false
	}
	return s.objects, true
}

// folder looks at what is in the directory rel below base; false means that it gave up.
func (s *sweep) folder(base Path, rel string) bool {
	dir := filepath.Join(base.abs, filepath.FromSlash(rel))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return errors.Is(err, os.ErrPermission) || errors.Is(err, os.ErrNotExist) // then the command cannot read it either
	}
	if s.left -= len(entries); s.left < 0 {
		return false
	}
	for _, e := range entries {
		at := path.Join(rel, e.Name())
		abs := filepath.Join(dir, e.Name())
		switch mode := e.Type(); {
		case e.IsDir():
			if e.Name() == "objects" && filepath.Base(dir) == ".git" {
				continue // names that are hashes
			}
			if !s.folder(base, at) {
				return false
			}
		case mode&fs.ModeSymlink != 0 && !s.links:
		case mode&fs.ModeSymlink != 0 && isDirectory(abs):
			return false
		case len(s.ends) > 0 && !slices.ContainsFunc(s.ends, func(end string) bool { return strings.HasSuffix(e.Name(), end) }):
		case s.asks.below(base, at, abs, mode):
			s.objects = append(s.objects, s.in.Walk("", abs).Objects...)
		}
	}
	return true
}

// isDirectory also follows links.
func isDirectory(abs string) bool {
	info, err := os.Stat(abs)
	return err == nil && info.IsDir()
}
