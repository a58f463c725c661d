package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

// reads resolves the files that a command asks to read although they are closed. Each must
// be there, in a folder, and no directory.
func (b bash) reads(names []string) (out []Path, err error) {
	for _, name := range names {
		p, err := b.v.Path(name)
		if err != nil {
			return nil, fmt.Errorf("reads: %w", err)
		}
		if !p.InVault() {
			return nil, fmt.Errorf("reads: %s is not in the workspace; a command that needs it needs \"unconfined\"", pathname.Printable(p.Display()))
		}
		info, err := os.Lstat(p.Abs())
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("reads: %s does not exist", pathname.Printable(p.Display()))
		case err != nil:
			return nil, fmt.Errorf("reads: %s: %w", pathname.Printable(p.Display()), openat.Plain(err))
		case info.IsDir():
			return nil, fmt.Errorf("reads: %s is a directory; name the files in it", pathname.Printable(p.Display()))
		}
		out = append(out, p)
	}
	return out, nil
}

// openedBy are the absolute paths of objects that a decision opens. One that is in no
// folder is not closed by the Vault and left out.
func (v *Vault) openedBy(objects []string) (paths []string, err error) {
	for _, object := range objects {
		abs, err := v.absolute(object)
		if err != nil {
			return nil, err
		}
		if v.asSeen(abs).root != nil {
			paths = append(paths, abs)
		}
	}
	return paths, nil
}
