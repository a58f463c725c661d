package workspace

import (
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/workspace/changes"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
	"github.com/agent-sidecar/agent-sidecar/workspace/search"
)

// followed are the folders, with what in them is followed while a command runs.
func (v *Vault) followed() []changes.Folder {
	var out []changes.Folder
	for _, root := range v.Roots() {
		p, err := v.locate(root, true)
		if err != nil {
			continue
		}
		rules, free := v.rulesFor(p)
		if free { // the person opened what git ignores: nothing of it is left out
			rules = nil
		}
		out = append(out, changes.Folder{Path: root, Rules: &watchRules{v, rules}})
	}
	return out
}

// watchRules say what is nobody's business while a command runs.
type watchRules struct {
	v      *Vault
	ignore *search.Rules
}

// Skips says that a name is ignored, hidden from tools, git's own, ours, or where
// the person's home keeps keys.
func (r *watchRules) Skips(path string, dir bool) bool {
	base := filepath.Base(path)
	if base == ".git" || dir && (base == r.v.artifactDir || path == r.v.home) {
		return true
	}
	if rel, in := pathname.Below(r.v.userHome, path); r.v.userHome != "" && in && slices.Contains(sandbox.SecretPlaces, rel) {
		return true
	}
	ignored, hidden := r.ignore.Ignored(path, dir)
	return ignored || hidden
}

// In are the rules with those of the ignore files in dir. A folder's own are in its
// rules already.
func (r *watchRules) In(dir string, entries []fs.DirEntry) (rules changes.Rules, own bool) {
	if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return search.IsIgnoreFile(e.Name()) }) {
		return r, false
	}
	if r.ignore.Of(dir) {
		return r, true
	}
	ignore := r.ignore.Enter(dir, true)
	if ignore == r.ignore {
		return r, true
	}
	return &watchRules{r.v, ignore}, true
}
