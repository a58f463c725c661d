package search

import "path/filepath"

// Place is a directory, and what is known of where it is.
type Place struct {
	// Dirs are the directories from the top of the repository, or of the folder, down
	// to the directory itself, absolute.
	Dirs []string
	// Agent says of each whether .agentignore counts there.
	Agent      func(dir string) bool
	Repository string // the top of the git repository; "" for none
	GitDir     string // that of the repository; "" where it is not known
	Home       string // of the person, whose own rules of git these are; "" for none
}

// Rules collects the ignore rules that apply in the directory: the user's own of
// git, `.git/info/exclude`, and every .gitignore from the top down. If the
// directory itself is ignored the person or model named it on purpose, and then
// git's rules do not apply below it: free is true.
func (p Place) Rules() (rules *Rules, free bool) {
	if p.Repository != "" && p.Home != "" {
		rules = &Rules{dir: p.Repository, git: readIgnore(filepath.Join(p.Home, ".config", "git", "ignore"))}
	}
	if p.Repository != "" && p.GitDir != "" {
		rules = &Rules{up: rules, dir: p.Repository, git: readIgnore(filepath.Join(p.GitDir, "info", "exclude"))}
	}
	for i, dir := range p.Dirs {
		if i > 0 {
			ignored, _ := rules.Ignored(dir, true)
			free = free || ignored || filepath.Base(dir) == ".git"
		}
		rules = rules.Enter(dir, p.Agent(dir))
	}
	return rules, free
}

// Hidden says that `.agentignore` hides the last of dirs, or one above it. dirs are
// those from the top of the folder down.
func Hidden(dirs []string) bool {
	var rules *Rules
	for i, at := range dirs {
		// Whether the last one is a directory does not matter: to be sure, a rule
		// for directories counts for it as well.
		if i > 0 && rules.verdict(at, true, func(r *Rules) []ignoreRule { return r.agent }) {
			return true
		}
		if i < len(dirs)-1 {
			if agent := readIgnore(filepath.Join(at, ".agentignore")); agent != nil {
				rules = &Rules{up: rules, dir: at, agent: agent}
			}
		}
	}
	return false
}
