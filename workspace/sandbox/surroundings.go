package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
)

// Places are paths that are laid over others: what may be written to, and what of that
// may not.
type Places struct{ Write, ReadOnly []string }

// Surroundings are where commands run: all that the sandbox has to know of the Vault. All
// paths are absolute.
type Surroundings struct {
	Roots    []string // the folders, without links
	Home     string   // the sidecar's; "": none
	UserHome string   // the person's; "": none
	Environ  []string // the variables that the command gets; its toolchains are named there
	Around   []string // what of the repositories that folders are in can be read
	Cache    string   // of the build tools of commands; "" without a home
	Temp     *Temp    // what commands have as /tmp

	Within    []string     // the folders of Wants.Bounds, each where it is
	Worktrees Places       // in the repositories of linked worktrees
	Protected Places       // what a command must not change, and what must stay in its place
	Outputs   []string     // directories of the folders that hold what is built: what a job may change of them
	Closed    []string     // sensitive files and directories of the folders, which it must not read
	Known     []proc.Known // which files these are
	Opened    []string     // files in such directories that it may read
	Artifacts Artifacts
}

// Artifacts are the directories of folders in which each session keeps what its calls
// gave, and what a command sees of them.
type Artifacts struct {
	Dirs    []string
	Own     string   // the folder of the session that the command belongs to; "": it has none yet
	Ignores []string // files in Dirs that make git ignore all of it
}

// Expand puts the person's home in the place of `~`.
func (a Surroundings) Expand(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && a.UserHome != "" && (rest == "" || rest[0] == '/') {
		return a.UserHome + rest
	}
	return path
}

// Existing are those of the absolute paths that exist, resolved.
func Existing(paths ...string) []string {
	var out []string
	for _, p := range paths {
		if !filepath.IsAbs(p) {
			continue
		}
		if _, err := os.Lstat(p); err != nil { // most of them: one call each
			continue
		}
		if real, err := filepath.EvalSymlinks(p); err == nil && real != "/" {
			out = append(out, real)
		}
	}
	return out
}

func once(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// contains says that a path is one of the directories, or in one.
func contains(dirs []string, path string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return d == path || strings.HasPrefix(path, d+"/") })
}
