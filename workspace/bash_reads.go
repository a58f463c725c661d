package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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
			return nil, fmt.Errorf("reads: %s is not in the workspace; a command that needs it needs \"unconfined\"", printable(p.Display()))
		}
		info, err := os.Lstat(p.Abs())
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("reads: %s does not exist", printable(p.Display()))
		case err != nil:
			return nil, fmt.Errorf("reads: %s: %w", printable(p.Display()), plain(err))
		case info.IsDir():
			return nil, fmt.Errorf("reads: %s is a directory; name the files in it", printable(p.Display()))
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
