package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/walk"
)

// A project often keeps its hooks among its sources: a link in `.git/hooks` leads to
// them, or a configuration names their directory, or a filter, a file with more of
// itself. Then git obeys a file whose own name says nothing. So it is with a link at the
// top of a folder that has a protected name.

// linkedName is what others find by another name than its own. Both are absolute paths.
type linkedName struct{ at, as string }

// followed is where a link leads; ok says that it is one.
func followed(as string) (to linkedName, ok bool) {
	info, err := os.Lstat(as)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return to, false
	}
	real := walk.Leads(as)
	return linkedName{real, as}, real != ""
}

// protectedLinks are those at the top of a folder.
func (g Guarded) protectedLinks(top string) (out []linkedName) {
	if g.Protected == nil {
		return nil
	}
	for _, e := range firstNames(top, shieldEntries) {
		if e.Type()&fs.ModeSymlink != 0 && g.Protected(objectAt(e.Name(), false)) {
			if l, ok := followed(filepath.Join(top, e.Name())); ok {
				out = append(out, l)
			}
		}
	}
	return out
}

// firstNames are at most so many entries of a directory; one that cannot be read has
// none, because nobody obeys what is in it. No more is read, however wide it is.
func firstNames(dir string, most int) []fs.DirEntry {
	f, err := durable.OpenDir(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(most)
	return entries
}

// topLinks are the protected links of all folders.
func (v *Vault) topLinks() (out []linkedName) {
	for _, top := range v.Roots() {
		out = append(out, v.guarded.protectedLinks(top)...)
	}
	return out
}

// gitLinks are those of the `.git` in a directory, and what its configuration and the
// person's own name.
func (g Guarded) gitLinks(dir string) (out []linkedName) {
	git := filepath.Join(dir, ".git")
	info, err := os.Lstat(git)
	if err != nil {
		return nil
	}
	c := gitConfig{home: g.home}
	if !info.IsDir() {
		if git = pointed(git, "gitdir: "); git == "" {
			return nil
		}
		c.add(filepath.Join(git, "config.worktree"))
		if common := pointed(filepath.Join(git, "commondir"), ""); common != "" {
			git = common
		}
	}
	for _, name := range gitObeyed {
		if l, ok := followed(filepath.Join(git, name)); ok {
			out = append(out, l)
		}
	}
	for _, name := range []string{"hooks", "info"} {
		for _, e := range firstNames(filepath.Join(git, name), 1000) {
			if e.Type()&fs.ModeSymlink == 0 {
				continue
			}
			if l, ok := followed(filepath.Join(git, name, e.Name())); ok {
				out = append(out, l)
			}
		}
	}
	c.add(filepath.Join(git, "config"))
	c.add(filepath.Join(git, "config.worktree"))
	if g.home != "" {
		c.add(filepath.Join(g.home, ".gitconfig"))
		c.add(filepath.Join(g.home, ".config", "git", "config"))
	}
	return append(out, c.named(dir, git)...)
}

// linkNames are the objects by which others know what is at a path: git, of the
// repository that it is in or one around that, and whoever opens its folder.
func (v *Vault) linkNames(abs string) (objects []string) {
	roots := v.Roots()
	for dir := filepath.Dir(abs); ; dir = filepath.Dir(dir) {
		links := v.guarded.gitLinks(dir)
		if slices.Contains(roots, dir) {
			links = append(links, v.guarded.protectedLinks(dir)...)
		}
		for _, l := range links {
			rel, in := pathname.Below(l.at, abs)
			if as := filepath.Join(l.as, rel); in && l.at != dir && as != abs {
				objects = append(objects, v.nameInFolder(abs, as))
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
func (v *Vault) nameInFolder(abs, as string) string {
	now := v.folders.Now()
	root, _ := now.Inside(abs, false)
	if out, _ := now.Inside(as, false); root == nil || out != nil {
		return now.Object(as)
	}
	if _, tail, ok := strings.Cut(filepath.ToSlash(as), "/.git/"); ok {
		return now.Object(filepath.Join(root.Real, ".git", filepath.FromSlash(tail)))
	}
	return now.Object(filepath.Join(root.Real, ".git", "hooks", filepath.Base(as)))
}
