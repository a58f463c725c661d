package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session/prompts"
	"github.com/agent-sidecar/agent-sidecar/session/skills"
	"github.com/agent-sidecar/agent-sidecar/workspace"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// workspaceSkills are where a folder has skills.
var workspaceSkills = []string{".agents/skills", ".claude/skills"}

// skillDirs are where the person has skills.
func (w *wiring) skillDirs() []string { return w.ownDirs("skills") }

// skillFolders are the person's folders of skills, and those of the workspace where it is
// trusted.
func (w *wiring) skillFolders(vault *workspace.Vault, trusted bool) []skills.Folder {
	return ownFolders(w.skillDirs(), vault, trusted, workspaceSkills)
}

// readableSkills are the person's folders of skills as rules and commands know them: by their
// names and resolved. One around a home is none: a link may lead anywhere.
func (w *wiring) readableSkills() (out []string) {
	homes := sandbox.Existing(w.home, w.userHome)
	for _, dir := range w.skillDirs() {
		for _, real := range sandbox.Existing(dir) {
			if slices.ContainsFunc(homes, func(home string) bool {
				return home == real || strings.HasPrefix(home, real+string(filepath.Separator))
			}) {
				continue
			}
			out = append(out, filepath.ToSlash(dir), filepath.ToSlash(real))
		}
	}
	return out
}

// homeFiles is a directory of the person's as a file system. A link leads nowhere outside it.
type homeFiles string

// Open implements fs.FS.
func (dir homeFiles) Open(name string) (fs.File, error) {
	root, err := durable.OpenRoot(string(dir))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Open(filepath.FromSlash(name))
}

// Stat implements fs.StatFS. It opens no file: a pipe would wait.
func (dir homeFiles) Stat(name string) (fs.FileInfo, error) {
	root, err := durable.OpenRoot(string(dir))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Stat(filepath.FromSlash(name))
}

// checkSkills says which skills there are, and what is wrong with any of them or with a prompt
// file. That costs nothing else, so it is no failure.
func (d *doctor) checkSkills(config *config.Store) {
	vault, err := workspace.Open(d.here(), workspace.Options{Home: d.home, UserHome: d.userHome})
	if err != nil {
		d.tell("warn", "skills", because(err))
		return
	}
	defer vault.Close()
	found := skills.Look(d.wiring().skillFolders(vault, config.TrustedAll(vault.Roots())))
	var names []string
	for _, s := range found.Ready() {
		names = append(names, s.Name)
	}
	if len(names) > 0 {
		d.tell("info", "skills", said.Plain(strings.Join(names, ", ")))
	}
	for _, p := range found.Every() {
		d.tell("warn", "skills", said.That("%s, line %d: %s", p.File, p.Line, p.Text))
	}
	for _, p := range prompts.Look(d.wiring().promptFolders(vault, config.TrustedAll(vault.Roots()))).Problems {
		d.tell("warn", "prompts", said.That("%s, line %d: %s", p.File, p.Line, p.Text))
	}
}

// here is the folder that the program was started in.
func (d *doctor) here() []workspace.Folder {
	dir, err := os.Getwd()
	if err != nil {
		return nil
	}
	return []workspace.Folder{{Name: filepath.Base(dir), Path: dir}}
}
