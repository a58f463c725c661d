package artifact

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
)

// Copy gives one session the named artifact files of another, so that a
// fork can read what it names after the other is deleted. A file that is not there
// any more is left out.
func (s *Store) Copy(from, to string, files []string) error {
	list := s.stores()
	defer closeStores(list)
	for _, p := range list {
		src, err := openat.Dir(p.dir, Folder(from))
		if err != nil {
			continue // nothing of that session is here
		}
		err = copyFiles(p.dir, src, Folder(to), files)
		src.Close()
		if err != nil {
			return fmt.Errorf("copy artifacts of %s: %w", from, err)
		}
	}
	return nil
}

func copyFiles(store, src *os.Root, folder string, files []string) error {
	for _, name := range files {
		if !ownName().MatchString(name) {
			continue
		}
		in, _, err := openat.File(src, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		err = copyInto(store, folder, name, in)
		in.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func copyInto(store *os.Root, folder, name string, in io.Reader) error {
	if err := store.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	dir, err := openat.Dir(store, folder)
	if err != nil {
		return err
	}
	defer dir.Close()
	out, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
