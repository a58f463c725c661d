package main

import (
	"os"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/gitconfig"
	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
)

// syncName is what a workspace is called, the same on each machine, by its first folder: the
// name that the person gave it, else the origin of its repository and the way from there. "":
// it has none.
func syncName(settings *config.Sync, folder string) string {
	if folder == "" {
		return ""
	}
	if name, named := settings.Workspaces[folder]; named {
		return name
	}
	for root := folder; ; {
		if text, found := repositoryConfig(root); found {
			origin := gitconfig.Origin(text)
			below, err := filepath.Rel(root, folder)
			if origin == "" || err != nil {
				return ""
			}
			if below == "." {
				return origin
			}
			return origin + "//" + filepath.ToSlash(below)
		}
		up := filepath.Dir(root)
		if up == root {
			return ""
		}
		root = up
	}
}

// repositoryConfig is the text of the configuration of the repository whose folder is root, a
// linked worktree's too.
func repositoryConfig(root string) (text string, found bool) {
	git := filepath.Join(root, ".git")
	info, err := os.Lstat(git)
	if err != nil {
		return "", false
	}
	if info.Mode().IsRegular() {
		git = shields.PointedTo(git, "gitdir: ")
		if common := shields.PointedTo(filepath.Join(git, "commondir"), ""); git != "" && common != "" {
			git = common
		}
	}
	const most = 1 << 20 // bytes
	raw, err := durable.ReadFile(filepath.Join(git, "config"), most)
	if git == "" || err != nil {
		return "", true
	}
	return string(raw), true
}
