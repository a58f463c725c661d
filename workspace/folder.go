package workspace

import (
	"fmt"
	"os"

	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

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
		return Path{}, fmt.Errorf("%s leads out of the workspace", pathname.Printable(name))
	}
	info, err := os.Stat(p.Abs())
	if err == nil && !info.IsDir() {
		return Path{}, fmt.Errorf("%s is not a directory", pathname.Printable(p.Display()))
	}
	if err != nil {
		return Path{}, fmt.Errorf("%s: %w", pathname.Printable(p.Display()), openat.Plain(err))
	}
	return p, nil
}
