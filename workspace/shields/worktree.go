package shields

import (
	"io/fs"
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

// WorktreePlaces let a commit work in a linked worktree of git, whose repository
// is elsewhere: write are those parts of that repository, kept is what of it git obeys,
// owns are the directories of the worktrees themselves. The
// file `.git` in the folder may be the work of whoever wrote the folder, so the
// repository must confirm it, from outside every folder: its `worktrees/<name>`
// names this very file.
func (k *Keeper) WorktreePlaces() (write, kept, owns []string) {
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
