package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/walk"
)

var (
	headBranch   = lazy.Regexp(`^ref: refs/heads/([^\x00-\x20\x7f~^:?*\[\\]{1,200})$`)
	headDetached = lazy.Regexp(`^[0-9a-f]{40}([0-9a-f]{24})?$`)
)

// Branch is the git branch of the first folder, read from `.git/HEAD` without
// starting git. A detached head is its first 12 digits. "" when there is none;
// a linked worktree (`.git` is a file) is followed.
func (w *places) Branch() string {
	dir := w.Root()
	if dir == "" {
		return ""
	}
	git := gitDir(dir)
	if git == "" {
		return ""
	}
	head := firstLine(filepath.Join(git, "HEAD"))
	if m := headBranch().FindStringSubmatch(head); m != nil {
		return pathname.Printable(m[1])
	}
	if headDetached().MatchString(head) {
		return head[:12]
	}
	return ""
}

// gitDir is the git directory that governs dir, looked for upwards; "" for
// none.
func gitDir(dir string) string {
	top := gitTop(dir)
	if top == "" {
		return ""
	}
	git := filepath.Join(top, ".git")
	if fi, err := os.Stat(git); err == nil && fi.IsDir() {
		return git
	}
	to, ok := strings.CutPrefix(firstLine(git), "gitdir: ")
	if !ok {
		return ""
	}
	if !filepath.IsAbs(to) {
		to = walk.Text(top, to)
	}
	return walk.Leads(to)
}

// gitTop is the nearest directory at or above dir that holds `.git`.
func gitTop(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// firstLine reads the first line of a small file; "" when it cannot.
func firstLine(path string) string {
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() {
		return ""
	}
	f, err := durable.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	data, _ := io.ReadAll(io.LimitReader(f, 4096))
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimRight(line, "\r ")
}

// WorkspaceID names the workspace in paths and keys: a slug of the first
// folder's name with a short hash of where it is; "none" without folders.
func (w *places) WorkspaceID() string {
	dir := w.Root()
	if dir == "" {
		return "none"
	}
	slug := strings.ToLower(strings.Trim(tool.PlainName(filepath.Base(dir), 40), "-."))
	if slug == "" {
		slug = "root"
	}
	sum := sha256.Sum256([]byte(pathname.Fold(dir)))
	return slug + "-" + hex.EncodeToString(sum[:4])
}

// Repositories says which of the objects are in a directory that git would take for a
// repository once all of them are there: it, or one above it up to the folder, has the
// shape, or a `.git` or `commondir` on the way leads to it. What `.git` itself holds is
// known by its name and not meant. A change is asked about as a whole, and what it takes
// away counts as there (satisfies control.Repositories).
func (w *places) Repositories(objects []string) []string {
	paths := map[string]string{}
	var all []string
	for _, o := range objects {
		if abs, err := w.absolute(o); err == nil {
			paths[o] = abs
			all = append(all, abs)
		}
	}
	r := w.shields.Afterwards(all...)
	var out []string
	for _, o := range objects {
		if abs, ok := paths[o]; ok && r.In(abs) {
			out = append(out, o)
		}
	}
	return out
}

// errRepository is for a change that was judged when git would not have obeyed its
// directory yet.
var errRepository = errors.New("git would now treat this folder as a repository, which nobody was asked about; nothing was done. Call it again")

// makesRepository says whether git would obey a directory that one of the paths is in.
func (w *places) makesRepository(paths ...Path) bool {
	var all []string
	for _, p := range paths {
		all = append(all, p.abs)
	}
	return w.shields.Makes(all...)
}
