package sandbox

import (
	"errors"
	"path/filepath"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

// onlyLook leaves of what a command may write to only its caches. What else is there, also
// what the person has named as writable, is to be read. Where a place of its own and a
// folder are in each other, the same file would be read-only at one path and writable at
// the other: then there is no such sandbox.
func (a Surroundings) onlyLook(c *proc.Confinement) error {
	caches := Existing(a.Cache)
	kept := slices.DeleteFunc(c.Write, func(dir string) bool { return slices.Contains(caches, dir) })
	c.Read, c.Write = once(slices.Concat(c.Read, kept)), caches
	own := append(slices.Clone(caches), filepath.Dir(c.Temp))
	for _, o := range c.Own {
		own = append(own, o.From)
	}
	for _, dir := range own {
		for _, root := range slices.Concat(a.Roots, a.Worktrees.Write, a.Worktrees.ReadOnly) {
			if pathname.Inside(dir, root) || pathname.Inside(root, dir) {
				return errors.New("the sandbox cannot keep this command: its own " + dir + " and the workspace overlap; nothing was run")
			}
		}
	}
	return nil
}
