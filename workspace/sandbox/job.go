package sandbox

import (
	"slices"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// keepWorkspace lets a job see the workspace as it is at each moment and change only its
// outputs. given are the places to write to that the person has named. What else of the
// workspace is writable is taken away, repositories included unless they are needed;
// everything that is read-only or hidden stays so.
func (a Surroundings) keepWorkspace(c *proc.Confinement, w Policy, given []string) {
	if !w.OnlyOutputs() {
		return
	}
	taken := slices.Concat(a.Roots, a.Within)
	if !w.Needs.Has(tool.NeedGit) {
		taken = append(taken, slices.Concat(a.Protected.Write, a.Worktrees.Write)...)
	}
	var workspace []string // to be read from now on
	c.Write = slices.DeleteFunc(c.Write, func(dir string) bool {
		if !slices.Contains(taken, dir) || slices.Contains(given, dir) {
			return false
		}
		workspace = append(workspace, dir)
		return true
	})
	kept := slices.Concat(c.ReadOnly, c.Hidden)
	for _, dir := range a.Outputs {
		around := slices.ContainsFunc(a.Roots, func(root string) bool { return contains([]string{dir}, root) })
		if contains(workspace, dir) && !around && !contains(kept, dir) {
			c.Write = append(c.Write, dir)
		}
	}
	c.Read, c.Write = once(append(c.Read, workspace...)), once(c.Write)
}
