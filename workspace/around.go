package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

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
	_, _, owns := v.shields.WorktreePlaces()
	for _, own := range owns {
		read = append(read, filepath.Dir(filepath.Dir(own)))
	}
	homes := sandbox.Existing(v.userHome, v.home)
	return slices.DeleteFunc(read, func(path string) bool {
		return slices.ContainsFunc(homes, func(home string) bool { return home == path || strings.HasPrefix(home, path+"/") })
	})
}
