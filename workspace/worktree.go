package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// worktreePlaces let a commit work in a linked worktree of git, whose repository
// lies elsewhere: write is that repository, kept is what of it git obeys. The
// file `.git` in the folder may be the work of whoever wrote the folder, so the
// repository must confirm it, from outside every folder: its `worktrees/<name>`
// names this very file.
func (v *Vault) worktreePlaces() (write, kept []string) {
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
		write = append(write, common)
		for _, dir := range []string{common, own} {
			for _, name := range gitObeyed {
				kept = append(kept, existing(filepath.Join(dir, name))...)
			}
		}
	}
	return write, kept
}

// pointed is the resolved path that a small file of git names, "" when it names
// none.
func pointed(file, word string) string {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 4096 {
		return ""
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(text), "\n"), word)
	if !ok || path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	// The last part of what is pointed to is a name, not a link.
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return ""
	}
	return filepath.Join(dir, filepath.Base(path))
}
