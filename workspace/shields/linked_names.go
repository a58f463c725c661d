package shields

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

// A project often keeps its hooks among its sources: a link in `.git/hooks` leads to
// them, or a configuration names their directory, or a filter, a file with more of
// itself. Then git obeys a file whose own name says nothing. So it is with a link at the
// top of a folder that has a protected name.

// protectedLinks are those at the top of a folder.
func (g Guarded) protectedLinks(top string) (out []LinkedName) {
	if g.Protected == nil {
		return nil
	}
	for _, e := range firstNames(top, shieldEntries) {
		if e.Type()&fs.ModeSymlink != 0 && g.Protected(Object(e.Name(), false)) {
			if l, ok := FollowLink(filepath.Join(top, e.Name())); ok {
				out = append(out, l)
			}
		}
	}
	return out
}

// TopLinks are the protected links of all folders.
func (k *Keeper) TopLinks() (out []LinkedName) {
	for _, top := range k.folders.Now().Paths() {
		out = append(out, k.Guarded.protectedLinks(top)...)
	}
	return out
}

// gitLinks are those of the `.git` in a directory, and what its configuration and the
// person's own name.
func (g Guarded) gitLinks(dir string) (out []LinkedName) {
	git := filepath.Join(dir, ".git")
	info, err := os.Lstat(git)
	if err != nil {
		return nil
	}
	c := GitConfig{Home: g.home}
	if !info.IsDir() {
		if git = PointedTo(git, "gitdir: "); git == "" {
			return nil
		}
		c.Add(filepath.Join(git, "config.worktree"))
		if common := PointedTo(filepath.Join(git, "commondir"), ""); common != "" {
			git = common
		}
	}
	for _, name := range gitObeyed {
		if l, ok := FollowLink(filepath.Join(git, name)); ok {
			out = append(out, l)
		}
	}
	for _, name := range []string{"hooks", "info"} {
		for _, e := range firstNames(filepath.Join(git, name), 1000) {
			if e.Type()&fs.ModeSymlink == 0 {
				continue
			}
			if l, ok := FollowLink(filepath.Join(git, name, e.Name())); ok {
				out = append(out, l)
			}
		}
	}
	c.Add(filepath.Join(git, "config"))
	c.Add(filepath.Join(git, "config.worktree"))
	if g.home != "" {
		c.Add(filepath.Join(g.home, ".gitconfig"))
		c.Add(filepath.Join(g.home, ".config", "git", "config"))
	}
	return append(out, c.named(dir, git)...)
}

// LinkNames are the objects by which others know what is at a path: git, of the
// repository that it is in or one around that, and whoever opens its folder.
func (k *Keeper) LinkNames(abs string) (objects []string) {
	roots := k.folders.Now().Paths()
	for dir := filepath.Dir(abs); ; dir = filepath.Dir(dir) {
		links := k.Guarded.gitLinks(dir)
		if slices.Contains(roots, dir) {
			links = append(links, k.Guarded.protectedLinks(dir)...)
		}
		for _, l := range links {
			rel, in := pathname.Below(l.At, abs)
			if as := filepath.Join(l.As, rel); in && l.At != dir && as != abs {
				objects = append(objects, k.nameInFolder(abs, as))
			}
		}
		if dir == filepath.Dir(dir) {
			return objects
		}
	}
}

// nameInFolder is the object of a name that a file of a folder has for others. Where git
// keeps a repository outside of the folder, the file is none of there: it counts as in the
// `.git` that the folder would have.
func (k *Keeper) nameInFolder(abs, as string) string {
	now := k.folders.Now()
	root, _ := now.Inside(abs, false)
	if out, _ := now.Inside(as, false); root == nil || out != nil {
		return now.Object(as)
	}
	if _, tail, ok := strings.Cut(filepath.ToSlash(as), "/.git/"); ok {
		return now.Object(filepath.Join(root.Real, ".git", filepath.FromSlash(tail)))
	}
	return now.Object(filepath.Join(root.Real, ".git", "hooks", filepath.Base(as)))
}
