package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
	"github.com/agent-sidecar/agent-sidecar/workspace/walk"
)

// writtenByGit are the directories of a repository that the commands of a linked worktree
// write to, beside its own. What is new at the top of a repository git may obey.
var writtenByGit = []string{"objects", "refs", "logs", "rr-cache", "lfs"}

// worktreePlaces let a commit work in a linked worktree of git, whose repository
// is elsewhere: write are those parts of that repository, kept is what of it git obeys,
// owns are the directories of the worktrees themselves. The
// file `.git` in the folder may be the work of whoever wrote the folder, so the
// repository must confirm it, from outside every folder: its `worktrees/<name>`
// names this very file.
func (v *Vault) worktreePlaces() (write, kept, owns []string) {
	roots := v.Roots()
	for _, root := range roots {
		link := filepath.Join(root, ".git")
		own := pointed(link, "gitdir: ")
		if own == "" || slices.ContainsFunc(roots, func(r string) bool { return own == r || strings.HasPrefix(own, r+"/") }) {
			continue
		}
		back := pointed(filepath.Join(own, "gitdir"), "")
		common := filepath.Dir(filepath.Dir(own))
		if back != link || filepath.Base(filepath.Dir(own)) != "worktrees" || pointed(filepath.Join(own, "commondir"), "") != common {
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

// around are what a command can read around the folders because git and build tools look
// for it there: the repository that a folder is a part of, and that of a linked worktree.
// A home is none.
func (v *Vault) around() (read []string) {
	for _, root := range v.Roots() {
		from := root
		if info, err := os.Lstat(filepath.Join(root, ".git")); err == nil && info.Mode().IsRegular() {
			from = filepath.Dir(root) // a submodule's is in the repository around it
		}
		if top := gitTop(from); top != "" && top != root {
			read = append(read, sandbox.Existing(top)...)
		}
	}
	_, _, owns := v.worktreePlaces()
	for _, own := range owns {
		read = append(read, filepath.Dir(filepath.Dir(own)))
	}
	homes := sandbox.Existing(v.userHome, v.home)
	return slices.DeleteFunc(read, func(path string) bool {
		return slices.ContainsFunc(homes, func(home string) bool { return home == path || strings.HasPrefix(home, path+"/") })
	})
}

// pointed is the resolved path that a small file of git names, "" when it names
// none.
func pointed(file, word string) string {
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
