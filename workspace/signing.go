package workspace

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
)

// unsigned is for people who sign what they commit, and for the model that commits for
// them.
const unsigned = `commits and tags cannot be signed in the sandbox, though the person's git signs them; signing needs "unconfined"`

// leavesUnsigned says that a command with these needs is in a sandbox, where it cannot
// sign what git signs otherwise: the keys are not there.
func (v *Vault) leavesUnsigned(dir string, declared tool.Needs) bool {
	settings, wants := sandbox.Wants{}.Under(v.sandbox())
	l, err := v.prober.For(settings, wants)
	return err == nil && l.Name != proc.None && !declared.Has(tool.NeedUnconfined) && v.signsGit(dir)
}

// signsGit says that git signs commits or tags in the repository around dir, by the
// person's own configuration, by the repository's, or by a file that these include,
// whatever the condition.
func (v *Vault) signsGit(dir string) bool {
	c := shields.GitConfig{Home: v.userHome}
	for _, file := range sandbox.GitConfigs(v.userHome, v.environ(v.keepEnv(), dir)) {
		c.Add(file)
	}
	if git := gitDir(dir); git != "" {
		common := git
		if at := shields.PointedTo(git+"/commondir", ""); at != "" {
			common = at
		}
		c.Add(common + "/config")
		c.Add(git + "/config.worktree")
	}
	signs := map[string]bool{}
	for _, s := range c.Settings {
		if s.Key == "commit.gpgsign" || s.Key == "tag.gpgsign" {
			signs[s.Key] = s.Bare || isTrue(s.Value) // the last one counts
		}
	}
	return signs["commit.gpgsign"] || signs["tag.gpgsign"]
}

// isTrue reads a value as git reads what is true or false.
func isTrue(value string) bool {
	n, err := strconv.Atoi(value)
	return err == nil && n != 0 || slices.Contains([]string{"true", "yes", "on"}, strings.ToLower(value))
}
