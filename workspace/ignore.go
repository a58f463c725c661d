package workspace

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/search"
)

// rulesFor collects the ignore rules that apply in the directory p. free says that
// git's do not apply below it: it was named on purpose.
func (v *Vault) rulesFor(p Path) (rules *search.Rules, free bool) {
	top := p.abs
	if p.root != nil {
		top = p.root.Real
	}
	at := search.Place{Home: v.userHome, Agent: func(dir string) bool { return p.root != nil && pathname.Inside(p.root.Real, dir) }}
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
// narrows: it lies in the Vault and so cannot be trusted with more.
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
func (v *Vault) Ignored(object string) bool {
	abs, err := v.absolute(object)
	if err != nil {
		return false
	}
	git := gitTop(filepath.Dir(abs))
	if git == "" {
		return false
	}
	at := search.Place{Repository: git, GitDir: gitDir(git), Home: v.userHome, Agent: func(string) bool { return false }}
	dirs := downTo(git, filepath.Dir(abs))
	at.Dirs = dirs[:1]
	rules, _ := at.Rules()
	for _, dir := range dirs[1:] {
		if strings.HasPrefix(filepath.Base(dir), ".") {
			return false
		}
		if ignored, _ := rules.Ignored(dir, true); ignored {
			rel, _ := pathname.Below(git, dir)
			return !v.mayTrack(git, filepath.ToSlash(rel))
		}
		rules = rules.Enter(dir, false)
	}
	return false
}

// mayTrack says whether git may keep a file below a directory of the work tree at top.
// Where it cannot be told, it may. Letter case does not count, because on some disks it
// names the same directory.
func (v *Vault) mayTrack(top, dir string) bool {
	_, repository, _ := around(top)
	names, err := v.kept.Names(repository)
	return err != nil || slices.ContainsFunc(names, func(name string) bool {
		return len(name) > len(dir) && name[len(dir)] == '/' && strings.EqualFold(name[:len(dir)], dir)
	})
}
