package workspace

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// errAppeared says that a file exists that was not there before.
var errAppeared = errors.New("a file appeared there since the call was approved; nothing was done")

// errChanged says that a file is not what the plan was judged on.
var errChanged = errors.New("the file changed since the call was approved; nothing was done. Read it again")

// replace puts data where the plan saw was, by a temporary file in the same
// directory, fsync and rename, so that a reader sees the old or the new file
// and never a part (workspace §2). Mode and, where permitted, owner of the old
// file are kept; a new one gets what the umask leaves. Missing directories are
// made. If the file is not the one in was any more, nothing is done.
func (p Path) replace(was snapshot, data []byte) error {
	if !was.exists {
		if err := p.makeParents(); err != nil {
			return err
		}
	}
	dir, base, err := p.parent()
	if err != nil {
		return err
	}
	defer dir.Close()
	temp, err := writeTemp(dir, base, data, was.info)
	if err != nil {
		return err
	}
	if err := install(dir, temp, base, was); err != nil {
		dir.Remove(temp)
		return err
	}
	syncDir(dir)
	return nil
}

// makeParents makes the directories above p.
func (p Path) makeParents() error {
	var err error
	if p.root == nil {
		err = os.MkdirAll(filepath.Dir(p.abs), 0o777)
	} else {
		err = p.root.dir.MkdirAll(filepath.Dir(filepath.FromSlash(p.rel)), 0o777)
	}
	if err != nil {
		return fmt.Errorf("make directory: %w", plain(err))
	}
	return nil
}

// writeTemp writes a new file beside base and returns its name. like is the
// file it will replace, nil for none.
func writeTemp(dir *os.Root, base string, data []byte, like fs.FileInfo) (string, error) {
	var r [6]byte
	rand.Read(r[:])
	name := ".agent-" + hex.EncodeToString(r[:]) + ".tmp"
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return "", fmt.Errorf("write beside %s: %w", printable(base), plain(err))
	}
	if like != nil {
		keepOwner(f, like)
		err = f.Chmod(like.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky))
	}
	if err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		dir.Remove(name)
		return "", fmt.Errorf("write: %w", plain(err))
	}
	return name, nil
}

// install gives the finished file its name. The last look before it is as late
// as the system allows.
func install(dir *os.Root, temp, base string, was snapshot) error {
	now, err := dir.Lstat(base)
	if !was.exists {
		if err == nil {
			return errAppeared
		}
		// Link refuses an existing name, which Rename would overwrite.
		if dir.Link(temp, base) == nil {
			return plain(dir.Remove(temp))
		}
		if _, err := dir.Lstat(base); err == nil {
			return errAppeared
		}
	} else if err != nil || !os.SameFile(now, was.info) || now.Size() != was.info.Size() || !now.ModTime().Equal(was.info.ModTime()) {
		return errChanged
	}
	if err := dir.Rename(temp, base); err != nil {
		return fmt.Errorf("rename: %w", plain(err))
	}
	return nil
}

// syncDir makes a rename durable where directories can be synced; elsewhere the
// content is safe and only the name may be the old one after a power cut.
func syncDir(dir *os.Root) {
	if f, err := dir.Open("."); err == nil {
		f.Sync()
		f.Close()
	}
}
