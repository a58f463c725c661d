package sandbox

import (
	"slices"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

// Wants is what a command is started for: what it needs, as approved, and what its
// agent is held to, which nobody can approve.
type Policy struct {
	Needs   tool.Needs
	Bounds  tool.Bounds
	Sandbox tool.Sandboxing // what it must have because nobody was asked
	Wide    bool            // Settings.Wide, which such a command must not have
	Apart   string          // whose caches, home and /tmp it has; "": those of the workspace
	Job     bool            // it goes on in the background
	Opens   []string        // absolute paths of files that are closed and that this one may read
	Session string          // whose artifacts it sees; "" sees none
}

// Under are the settings as the bounds leave them, and what is then still wanted of what
// is needed. What takes something away is not left to a machine without a sandbox.
func (w Policy) Under(s Settings) (Settings, Policy) {
	if w.Bounds.Narrow() {
		s.Mode = "required"
		w.Needs = w.Needs.Without(tool.NeedUnconfined)
	}
	if w.Bounds.Offline {
		s.Network = false
		w.Needs = w.Needs.Without(tool.NeedNetwork).Without(tool.NeedUnconfined)
	}
	if len(w.Bounds.Within) > 0 {
		w.Needs = w.Needs.Without(tool.NeedGit)
	}
	return s, w
}

// OnlyOutputs says that of the workspace this command may change only Surroundings.Outputs:
// a job goes on while other calls and the person work on the sources, and nobody looks at
// what it changes after its call.
func (w Policy) OnlyOutputs() bool { return w.Job && !w.Needs.Has(tool.NeedDirect) }

// Looks says that this command may change nothing but its own /tmp, home and caches.
func (w Policy) Looks() bool { return w.Sandbox == tool.SandboxedReadOnly }

// bound narrows what a command may write to: of the Vault's folders, and of what
// is around or in them, only what is in every folder of the bounds. What of the
// Vault is then out of reach can still be read.
func (a Surroundings) bound(c *proc.Confinement) {
	if len(a.Within) == 0 {
		return
	}
	for _, folder := range a.Within {
		c.Write = narrowed(c.Write, folder, a.Roots)
	}
	roots := slices.Clone(a.Roots)
	c.Read = append(c.Read, slices.DeleteFunc(roots, func(r string) bool { return r == "/" || slices.Contains(c.Write, r) })...)
}

// narrowed are places to write to where those that have to do with the Vault are only
// what they share with the folder.
func narrowed(write []string, folder string, roots []string) (out []string) {
	for _, w := range write {
		switch {
		case !slices.ContainsFunc(roots, func(r string) bool { return pathname.Inside(r, w) || pathname.Inside(w, r) }):
			out = append(out, w)
		case pathname.Inside(folder, w):
			out = append(out, w)
		case pathname.Inside(w, folder):
			out = append(out, folder)
		}
	}
	return out
}
