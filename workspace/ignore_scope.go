package workspace

import (
	"fmt"
	"path/filepath"
	"strings"
)

// rulesFor collects the ignore rules that hold in the directory p: the user's
// own of git, `.git/info/exclude`, and every .gitignore from the top of the
// repository, or of the folder, down to p. If p itself is ignored the person
// or model named it on purpose, and then git's rules do not hold below it
// (ruling 42): free is true.
func (v *Vault) rulesFor(p Path) (rules *ignoreRules, free bool) {
	top := p.abs
	if p.root != nil {
		top = p.root.real
	}
	if git := gitTop(p.abs); git != "" {
		if _, in := below(git, top); in || p.root == nil {
			top = git
		}
		if v.userHome != "" {
			rules = &ignoreRules{dir: git, git: readIgnore(filepath.Join(v.userHome, ".config", "git", "ignore"))}
		}
		if own := gitDir(p.abs); own != "" {
			rules = &ignoreRules{up: rules, dir: git, git: readIgnore(filepath.Join(own, "info", "exclude"))}
		}
	}
	for _, dir := range downTo(top, p.abs) {
		if dir != top {
			ignored, _ := rules.ignored(dir, true)
			free = free || ignored || filepath.Base(dir) == ".git"
		}
		rules = rules.enter(dir, p.root != nil && insideOf(p.root.real, dir))
	}
	return rules, free
}

func insideOf(root, dir string) bool {
	_, in := below(root, dir)
	return in
}

// downTo lists the directories from top to dir, both included.
func downTo(top, dir string) []string {
	out := []string{top}
	rel, err := filepath.Rel(top, dir)
	if err != nil || rel == "." {
		return out
	}
	for seg := range strings.SplitSeq(rel, string(filepath.Separator)) {
		out = append(out, filepath.Join(out[len(out)-1], seg))
	}
	return out
}

// visible refuses a path that `.agentignore` hides from every tool
// (ruling 94). It only narrows: it lies in the Vault and so cannot be trusted
// with more.
func (v *Vault) visible(p Path) error {
	if p.root == nil || p.rel == "." {
		return nil
	}
	var rules *ignoreRules
	dirs := downTo(p.root.real, p.abs)
	for i, at := range dirs {
		if i > 0 {
			// Whether the last one is a directory does not matter: to be sure,
			// a rule for directories counts for it as well.
			if rules.verdict(at, true, func(r *ignoreRules) []ignoreRule { return r.agent }) {
				return fmt.Errorf("%s is hidden from tools by .agentignore", p)
			}
		}
		if i < len(dirs)-1 {
			if agent := readIgnore(filepath.Join(at, ".agentignore")); agent != nil {
				rules = &ignoreRules{up: rules, dir: at, agent: agent}
			}
		}
	}
	return nil
}
