package workspace

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/workspace/changes"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
)

const (
	// mostOutputDirs is how many directories a job may write to, and mostOutputBytes how
	// long their paths may be together: all of them go into one argument of a program.
	mostOutputDirs  = 200
	mostOutputBytes = 16 << 10
	// outputLooks is how many names in them are looked at for files of the sources.
	outputLooks = 200_000
)

// outputs are the directories of the workspace that a job may write to: the topmost ones
// that git ignores and keeps nothing in, as the look before the command found them, and
// the artifact directories. The nearest to the top of a folder come first. The look has
// already read the directories around them; each one found costs a few questions more.
// Without w there are only the artifact directories.
func (x *sandboxes) outputs(w *watch) (dirs []string) {
	f := outputFinder{in: x, kept: map[string]map[string]bool{}}
	var ignored []string
	w.tracked().LeftOut(func(dir string, rules changes.Rules) {
		if r, ok := rules.(*watchRules); ok && f.isOutput(dir, r) {
			ignored = append(ignored, dir)
		}
	})
	byDepth := func(a, b string) int {
		return cmp.Or(cmp.Compare(x.shields.Depth(a), x.shields.Depth(b)), strings.Compare(a, b))
	}
	slices.SortFunc(ignored, byDepth)
	for _, root := range x.Roots() {
		at := filepath.Join(root, x.artifactDir)
		if info, err := os.Lstat(at); err == nil && info.IsDir() {
			dirs = append(dirs, at)
		}
	}
	left := mostOutputBytes
	sources := sourceLinks(w)
	looks := outputLooks
	for _, dir := range ignored[:min(len(ignored), mostOutputDirs)] {
		if left -= len(dir); left < 0 {
			break
		}
		if len(sources) == 0 || !sources.namedIn(dir, &looks) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// outputFinder tells which of the directories that are left out hold what is built.
type outputFinder struct {
	in   *sandboxes
	kept map[string]map[string]bool // directories with files that git keeps, by the top of the repository; nil: not known
}

// isOutput says that git ignores a directory and keeps nothing in it, and that nobody
// obeys it by its name or by its shape.
func (f *outputFinder) isOutput(dir string, rules *watchRules) bool {
	if ignored, hidden := rules.ignore.Ignored(dir, true); !ignored || hidden {
		return false
	}
	base := filepath.Base(dir)
	p := f.in.asSeen(dir)
	if p.root == nil || shields.IsDotGit(base) || base == f.in.artifactDir || shields.PartsAt(dir).Obeyed() {
		return false
	}
	if g := f.in.shields.Names; g.Protected != nil && g.Protected(shields.Object(p.rel, true)) {
		return false
	}
	top, repository, ok := around(filepath.Dir(dir))
	if top == "" || !ok {
		return false
	}
	kept, known := f.kept[top]
	if !known {
		if names, err := f.in.kept.Names(repository); err == nil {
			kept = directoriesOf(names)
		}
		f.kept[top] = kept
	}
	rel, in := pathname.Below(top, dir)
	return in && kept != nil && !kept[strings.ToLower(filepath.ToSlash(rel))]
}

// directoriesOf are the directories that slash-separated names are in, in lower case:
// on some disks letter case makes no other directory.
func directoriesOf(names []string) map[string]bool {
	dirs := map[string]bool{}
	for _, name := range names {
		for dir := path.Dir(strings.ToLower(name)); dir != "." && !dirs[dir]; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	return dirs
}

// linkedSources are the files outside of what git ignores that have further names.
type linkedSources map[openat.Inode]bool

func sourceLinks(w *watch) linkedSources {
	ids := linkedSources{}
	w.tracked().Linked(func(device, number uint64) { ids[openat.Inode{Device: device, Number: number}] = true })
	return ids
}

// namedIn says that one of the files may have a name below dir: what is written there
// would be in the sources. Where nobody can look it may.
func (ids linkedSources) namedIn(dir string, looks *int) (named bool) {
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if *looks--; err != nil || *looks < 0 {
			named = true
			return fs.SkipAll
		}
		if !e.Type().IsRegular() {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return nil // it is going away
		}
		if id, ok := openat.InodeOf(info); !ok || ids[id] {
			named = true
			return fs.SkipAll
		}
		return nil
	})
	return named || err != nil
}
