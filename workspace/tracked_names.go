package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/search"
	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
	"github.com/agent-sidecar/agent-sidecar/workspace/tracked"
	"github.com/agent-sidecar/agent-sidecar/workspace/walk"
)

// repositories know which files git keeps.
type repositories struct {
	*places
	kept tracked.Cache
}

// Tracked answers control which files of the repository around the directory dir
// somebody wants to be asked about, whether they are in the index or in the last commit,
// and on the disk or not. complete is false where it cannot be told, and where git compares
// other things than what it keeps: without a repository (satisfies control.Tracker).
func (g *repositories) Tracked(dir string, asked func(object string) bool) (objects []string, complete bool) {
	if dir == "" {
		dir = g.Root()
	}
	if !filepath.IsAbs(dir) {
		return nil, false
	}
	to, err := walk.To(dir, true)
	switch {
	case err != nil, to.Unknown != "":
		return nil, false
	case !to.Exists:
		return nil, true // then nothing runs there
	}
	real := to.Abs
	top, repository, complete := around(real)
	if top == "" || !complete {
		return nil, false
	}
	names, err := g.kept.Names(repository)
	if err != nil {
		return nil, false
	}
	twins := g.shields.ProtectedTwins()
	for _, name := range names {
		abs := filepath.Join(top, filepath.FromSlash(name))
		object := g.folders.Now().Object(abs)
		switch info, err := os.Lstat(abs); {
		case asked(object):
			objects = append(objects, object)
		case len(twins) > 0 && err == nil && openat.LinkCount(info) > 1:
			for _, o := range g.shields.TwinsOf(twins, abs, info) {
				if asked(o) {
					objects = append(objects, o)
				}
			}
		}
	}
	return objects, true
}

// around finds the repository that git uses in a directory, as git does: the nearest one
// upwards. top is "" where there is none, ok false where one cannot be read.
func around(dir string) (top string, r tracked.Repository, ok bool) {
	for {
		git := filepath.Join(dir, ".git")
		info, err := os.Stat(git)
		switch {
		case err == nil && !info.IsDir():
			if git = shields.PointedTo(git, "gitdir: "); git == "" {
				return dir, r, false
			}
		case err != nil || !shields.PartsAt(git).Obeyed():
			if git = dir; !shields.PartsAt(git).Obeyed() {
				git = ""
			}
		}
		if git != "" {
			r = tracked.Repository{Dir: git, Common: git}
			if common := shields.PointedTo(filepath.Join(git, "commondir"), ""); common != "" {
				r.Common = common
			}
			return dir, r, true
		}
		if dir == filepath.Dir(dir) {
			return "", r, true
		}
		dir = filepath.Dir(dir)
	}
}

// rulesFor collects the ignore rules that apply in the directory p. free says that
// git's do not apply below it: it was named on purpose.
func (w *places) rulesFor(p Path) (rules *search.Rules, free bool) {
	top := p.abs
	if p.root != nil {
		top = p.root.Real
	}
	at := search.Place{Home: w.userHome, Agent: func(dir string) bool { return p.root != nil && pathname.Inside(p.root.Real, dir) }}
	if git := gitTop(p.abs); git != "" {
		if _, in := pathname.Below(git, top); in || p.root == nil {
			top = git
		}
		at.Repository, at.GitDir = git, gitDir(p.abs)
	}
	at.Dirs = downTo(top, p.abs)
	return at.Rules()
}

// downTo lists the directories from top to dir, both included.
func downTo(top, dir string) []string {
	out := []string{top}
	rel, err := filepath.Rel(top, dir)
	if err != nil || rel == "." {
		return out
	}
	for seg := range strings.SplitSeq(rel, string(filepath.Separator)) {
		out = append(out, filepath.Join(out[len(out)-1], seg))
	}
	return out
}

// visible refuses a path that `.agentignore` hides from every tool. It only
// narrows: it is in the Vault and so cannot be trusted with more.
func (p Path) visible() error {
	if p.root == nil || p.rel == "." || !search.Hidden(downTo(p.root.Real, p.abs)) {
		return nil
	}
	return fmt.Errorf("%s is hidden from tools by .agentignore", p)
}

// Ignored says whether an object is below a directory that git ignores. One whose own
// path begins with a dot anywhere is none, nor one that has files which git knows: an
// ignore file is written as easily as any other, and makes no build directory of the
// sources (satisfies control.Ignores).
func (g *repositories) Ignored(object string) bool {
	abs, err := g.absolute(object)
	if err != nil {
		return false
	}
	git := gitTop(filepath.Dir(abs))
	if git == "" {
		return false
	}
	at := search.Place{Repository: git, GitDir: gitDir(git), Home: g.userHome, Agent: func(string) bool { return false }}
	dirs := downTo(git, filepath.Dir(abs))
	at.Dirs = dirs[:1]
	rules, _ := at.Rules()
	for _, dir := range dirs[1:] {
		if strings.HasPrefix(filepath.Base(dir), ".") {
			return false
		}
		if ignored, _ := rules.Ignored(dir, true); ignored {
			rel, _ := pathname.Below(git, dir)
			return !g.mayTrack(git, filepath.ToSlash(rel))
		}
		rules = rules.Enter(dir, false)
	}
	return false
}

// mayTrack says whether git may keep a file below a directory of the work tree at top.
// Where it cannot be told, it may. Letter case does not count, because on some disks it
// names the same directory.
func (g *repositories) mayTrack(top, dir string) bool {
	_, repository, _ := around(top)
	names, err := g.kept.Names(repository)
	return err != nil || slices.ContainsFunc(names, func(name string) bool {
		return len(name) > len(dir) && name[len(dir)] == '/' && strings.EqualFold(name[:len(dir)], dir)
	})
}
