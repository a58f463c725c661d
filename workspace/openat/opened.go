// Package openat opens and changes single names in a directory that is already open, so
// that no link which somebody puts on the way is followed. It knows no path of a tool,
// no permission and no folder of the editor.
package openat

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// NotFile is the error for what is there and cannot be read like a file. Kind is what it
// is, as KindOf says.
type NotFile struct{ Kind string }

func (e NotFile) Error() string { return "is " + e.Kind + ", not a file" }

// KindOf names what fi is where it is not a regular file; "" for files.
func KindOf(fi fs.FileInfo) string {
	switch m := fi.Mode(); {
	case m.IsRegular():
		return ""
	case m.IsDir():
		return "a directory"
	case m&fs.ModeSymlink != 0:
		return "a link"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "something special"
}

// File opens the regular file name in dir for reading, following nothing. It never
// blocks: what is not a regular file is refused before it is opened, and what was swapped
// in between is refused after. Errors are NotFile, fs.ErrNotExist, ErrMoved or the
// system's own. The caller closes the file.
func File(dir *os.Root, name string) (*os.File, fs.FileInfo, error) {
	before, err := dir.Lstat(name)
	if err != nil {
		return nil, nil, Plain(err)
	}
	if kind := KindOf(before); kind != "" {
		return nil, nil, NotFile{kind}
	}
	flag := os.O_RDONLY
	if runtime.GOOS != "windows" {
		flag |= syscall.O_NONBLOCK // a named pipe swapped in must not hang us
	}
	f, err := dir.OpenFile(name, flag, 0)
	if err != nil {
		return nil, nil, Plain(err)
	}
	fi, err := f.Stat()
	if err != nil || !os.SameFile(before, fi) || KindOf(fi) != "" {
		f.Close()
		return nil, nil, ErrMoved
	}
	return f, fi, nil
}

// Dir opens the directory name in dir if it is one and no link to one. The caller closes
// it.
func Dir(dir *os.Root, name string) (*os.Root, error) {
	fi, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !fi.IsDir() {
		return nil, fmt.Errorf("%s is %s, not a directory", name, cmp.Or(KindOf(fi), "a file"))
	}
	sub, err := durable.RootIn(dir, name)
	if err != nil {
		return nil, err
	}
	if now, err := sub.Stat("."); err != nil || !os.SameFile(fi, now) {
		sub.Close()
		return nil, ErrMoved
	}
	return sub, nil
}

// Plain drops the operation and the path that the os package puts in front: our
// own errors name the path as the model knows it.
func Plain(err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	if errors.As(err, &pe) {
		err = pe.Err
	} else if errors.As(err, &le) {
		err = le.Err
	}
	// os.Root has no exported error for this. Our paths hold no links, so it
	// can only mean that one was put there after the path was resolved.
	if err != nil && err.Error() == "path escapes from parent" {
		return ErrMoved
	}
	return err
}

// ErrMoved says that another thing is at a path than when it was judged.
var ErrMoved = errors.New("path changed since it was approved; nothing was done")

// Inode is what two names of one file have in common.
type Inode struct{ Device, Number uint64 }
