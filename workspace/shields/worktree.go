package shields

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
	"github.com/agent-sidecar/agent-sidecar/workspace/walk"
)

// writtenByGit are the directories of a repository that the commands of a linked worktree
// write to, beside its own. What is new at the top of a repository git may obey.
var writtenByGit = []string{"objects", "refs", "logs", "rr-cache", "lfs"}

// WorktreePlaces let a commit work in a linked worktree of git, whose repository
// is elsewhere: write are those parts of that repository, kept is what of it git obeys,
// owns are the directories of the worktrees themselves. The
// file `.git` in the folder may be the work of anyone who wrote the folder, so the
// repository must confirm it, from outside every folder: its `worktrees/<name>`
// names this very file.
func (k *Set) WorktreePlaces() (write, kept, owns []string) {
	roots := k.folders.Now().Paths()
	for _, root := range roots {
		link := filepath.Join(root, ".git")
		own := PointedTo(link, "gitdir: ")
		if own == "" || slices.ContainsFunc(roots, func(r string) bool { return own == r || strings.HasPrefix(own, r+"/") }) {
			continue
		}
		back := PointedTo(filepath.Join(own, "gitdir"), "")
		common := filepath.Dir(filepath.Dir(own))
		if back != link || filepath.Base(filepath.Dir(own)) != "worktrees" || PointedTo(filepath.Join(own, "commondir"), "") != common {
			continue
		}
		// A repository without this directory could be given one.
		if info, err := os.Stat(filepath.Join(common, "hooks")); err != nil || !info.IsDir() {
			continue
		}
		write, owns = append(write, own), append(owns, own)
		for _, name := range writtenByGit {
			write = append(write, sandbox.Existing(filepath.Join(common, name))...)
		}
		for _, name := range gitObeyed {
			kept = append(kept, sandbox.Existing(filepath.Join(own, name))...)
		}
	}
	return write, kept, owns
}

// PointedTo is the resolved path that a small file of git names, "" when it names
// none.
func PointedTo(file, word string) string {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 4096 {
		return ""
	}
	text, err := durable.ReadFile(file, 4096)
	if err != nil {
		return ""
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(text), "\n"), word)
	if !ok || path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = walk.Text(filepath.Dir(file), path)
	}
	// The last part of what is pointed to is a name, not a link.
	to, err := walk.To(path, false)
	if _, wrong := os.Lstat(filepath.Dir(to.Abs)); err != nil || wrong != nil || to.Unknown != "" || to.Missing != "" {
		return ""
	}
	return to.Abs
}

// A project often keeps its hooks among its sources: a link in `.git/hooks` leads to
// them, or a configuration names their directory, or a filter, a file with more of
// itself. Then git obeys a file whose own name says nothing. So it is with a link at the
// top of a folder that has a protected name.

// LinkedName is what others find by another name than its own. Both are absolute paths.
type LinkedName struct{ At, As string }

// FollowLink is where a link leads; ok says that it is one.
func FollowLink(as string) (to LinkedName, ok bool) {
	info, err := os.Lstat(as)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return to, false
	}
	real := walk.Leads(as)
	return LinkedName{real, as}, real != ""
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

// protectedLinks are those at the top of a folder.
func (g Names) protectedLinks(top string) (out []LinkedName) {
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
func (k *Set) TopLinks() (out []LinkedName) {
	for _, top := range k.folders.Now().Paths() {
		out = append(out, k.Names.protectedLinks(top)...)
	}
	return out
}

// gitLinks are those of the `.git` in a directory, and what its configuration and the
// person's own name.
func (k *Set) gitLinks(dir string) (out []LinkedName) {
	git := filepath.Join(dir, ".git")
	info, err := os.Lstat(git)
	if err != nil {
		return nil
	}
	c := GitConfig{Home: k.home}
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
	if k.home != "" {
		c.Add(filepath.Join(k.home, ".gitconfig"))
		c.Add(filepath.Join(k.home, ".config", "git", "config"))
	}
	return append(out, c.named(dir, git)...)
}

// LinkNames are the objects by which others know what is at a path: git, of the
// repository that it is in or one around that, and anyone who opens its folder.
func (k *Set) LinkNames(abs string) (objects []string) {
	roots := k.folders.Now().Paths()
	for dir := filepath.Dir(abs); ; dir = filepath.Dir(dir) {
		links := k.gitLinks(dir)
		if slices.Contains(roots, dir) {
			links = append(links, k.Names.protectedLinks(dir)...)
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
func (k *Set) nameInFolder(abs, as string) string {
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
