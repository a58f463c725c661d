package workspace

import (
	"fmt"
	"os"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// wants is what a command is started for: what it needs, as approved, and what its
// agent is held to, which nobody can approve.
type wants struct {
	needs  string // "network", "unconfined" or ""
	bounds tool.Bounds
}

// under are the settings as the bounds leave them, and what is still had of what is
// needed. What takes something away is not left to a machine without a sandbox.
func (w wants) under(s SandboxSettings) (SandboxSettings, string) {
	needs := w.needs
	if w.bounds.Narrow() {
		s.Mode = "required"
		if needs == "unconfined" {
			needs = ""
		}
	}
	if w.bounds.Offline {
		s.Network, needs = false, ""
	}
	return s, needs
}

// Folder is the object of a folder of the Vault that a person has named: a path from
// the first one, or an object. Links are followed, and may not lead out.
func (v *Vault) Folder(name string) (object string, err error) {
	p, err := v.folder(name)
	if err != nil {
		return "", err
	}
	return p.Object(), nil
}

func (v *Vault) folder(name string) (Path, error) {
	p, err := v.Path(name)
	if err != nil {
		return Path{}, err
	}
	if !p.InVault() {
		return Path{}, fmt.Errorf("%s leads out of the workspace", printable(name))
	}
	info, err := os.Stat(p.Abs())
	if err == nil && !info.IsDir() {
		return Path{}, fmt.Errorf("%s is not a directory", printable(p.Display()))
	}
	if err != nil {
		return Path{}, fmt.Errorf("%s: %w", printable(p.Display()), plain(err))
	}
	return p, nil
}

// bound narrows what a command may write to: of the Vault's folders, and of what
// lies around or in them, only what is in every folder of the bounds. What of the
// Vault is then out of reach can still be read.
func (v *Vault) bound(c *proc.Confinement, b tool.Bounds) error {
	if len(b.Within) == 0 {
		return nil
	}
	roots := v.Roots()
	for _, object := range b.Within {
		folder, err := v.folder(object)
		if err != nil {
			return fmt.Errorf("the folder of the agent: %w", err)
		}
		c.Write = narrowed(c.Write, folder.Abs(), roots)
	}
	if c.Level == proc.Namespaces { // else its own /tmp would cover a Vault in there
		c.ReadOnly = append(c.ReadOnly, slices.DeleteFunc(roots, func(r string) bool { return r == "/" || slices.Contains(c.Write, r) })...)
	}
	return nil
}

// narrowed are places to write to where those that have to do with the Vault are only
// what they share with the folder.
func narrowed(write []string, folder string, roots []string) (out []string) {
	for _, w := range write {
		switch {
		case !slices.ContainsFunc(roots, func(r string) bool { return insideOf(r, w) || insideOf(w, r) }):
			out = append(out, w)
		case insideOf(folder, w):
			out = append(out, w)
		case insideOf(w, folder):
			out = append(out, folder)
		}
	}
	return out
}
