package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

// maxChangeBytes is the largest file that a file tool changes: it is held in
// memory twice and compared line by line.
const maxChangeBytes = 32 << 20

// parent opens the directory that holds p, and makes sure that it is the very
// directory p names and not another one that a link swapped in after p was
// resolved leads to. os.Root alone would follow a link inside the folder, for
// example from src to .git. Everything is then done with single names in it.
func (p Path) parent() (*os.Root, string, error) {
	dir, err := p.openParent()
	if err != nil {
		return nil, "", openat.Plain(err)
	}
	if !lies(dir, filepath.Dir(p.abs)) {
		dir.Close()
		return nil, "", openat.ErrMoved
	}
	return dir, filepath.Base(p.abs), nil
}

func (p Path) openParent() (*os.Root, error) {
	switch {
	case p.root == nil:
		return durable.OpenRoot(filepath.Dir(p.abs))
	case p.rel == ".":
		return nil, errors.New("is a folder of the editor")
	}
	return durable.RootIn(p.root.Dir, filepath.FromSlash(path.Dir(p.rel)))
}

// openDir opens the directory p itself, verified like parent.
func (p Path) openDir() (*os.Root, error) {
	var dir *os.Root
	var err error
	if p.root == nil {
		dir, err = durable.OpenRoot(p.abs)
	} else {
		dir, err = durable.RootIn(p.root.Dir, filepath.FromSlash(p.rel))
	}
	if err != nil {
		return nil, openat.Plain(err)
	}
	if !lies(dir, p.abs) {
		dir.Close()
		return nil, openat.ErrMoved
	}
	return dir, nil
}

// lies tells whether the open directory is the one at the link-free path want.
// Linux can say where an open directory lies; elsewhere the path is resolved
// once more and compared.
func lies(dir *os.Root, want string) bool {
	f, err := dir.Open(".")
	if err != nil {
		return false
	}
	defer f.Close()
	if runtime.GOOS == "linux" {
		if at, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(f.Fd()))); err == nil {
			return at == want
		}
	}
	open, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(want)
	if err != nil || !os.SameFile(open, now) {
		return false
	}
	return resolved(want) == want
}

// isDir says whether a directory is there now.
func (p Path) isDir() bool {
	fi, err := p.lstat()
	return err == nil && fi.IsDir()
}

// lstat looks at p without following anything and without opening it.
func (p Path) lstat() (fs.FileInfo, error) {
	if p.rel == "." {
		fi, err := p.root.Dir.Stat(".")
		return fi, openat.Plain(err)
	}
	dir, base, err := p.parent()
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	fi, err := dir.Lstat(base)
	if err != nil {
		return nil, openat.Plain(err)
	}
	return fi, nil
}

// readlink says where the link p leads, as it is written.
func (p Path) readlink() (string, error) {
	dir, base, err := p.parent()
	if err != nil {
		return "", err
	}
	defer dir.Close()
	to, err := dir.Readlink(base)
	return to, openat.Plain(err)
}

// open opens the regular file p for reading. It never blocks: what is not a
// regular file is refused before it is opened, and what was swapped in between
// is refused after. Errors are openat.NotFile, fs.ErrNotExist, openat.ErrMoved or the
// system's own.
func (p Path) open() (*os.File, fs.FileInfo, error) {
	if p.rel == "." {
		return nil, nil, openat.NotFile{Kind: "a directory"}
	}
	dir, base, err := p.parent()
	if err != nil {
		return nil, nil, err
	}
	defer dir.Close()
	return openat.File(dir, base)
}

// snapshot is a file as a plan saw it. The zero snapshot says that there is
// none.
type snapshot struct {
	exists bool
	data   []byte
	hash   string // hex sha256 of data
	info   fs.FileInfo
	open   *tool.Document // whose unsaved text data is; nil: data is on the disk
}

// snapshot reads the file p whole. A missing file is a snapshot too; a
// directory, a device and a file over maxChangeBytes are errors.
func (p Path) snapshot() (snapshot, error) {
	f, fi, err := p.open()
	if errors.Is(err, fs.ErrNotExist) {
		return snapshot{}, nil
	}
	if err != nil {
		return snapshot{}, fmt.Errorf("%s: %w", p, err)
	}
	defer f.Close()
	if fi.Size() > maxChangeBytes {
		return snapshot{}, fmt.Errorf("%s: too large to change here (%d bytes, at most %d)", p, fi.Size(), maxChangeBytes)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxChangeBytes+1))
	if err != nil {
		return snapshot{}, fmt.Errorf("%s: read: %w", p, openat.Plain(err))
	}
	if len(data) > maxChangeBytes {
		return snapshot{}, fmt.Errorf("%s: too large to change here (over %d bytes)", p, maxChangeBytes)
	}
	return snapshot{exists: true, data: data, hash: hashOf(data), info: fi}, nil
}

// hashOf names a content as checkpoints, changes and an undo do.
func hashOf(data []byte) string { return undo.HashOf(data) }

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// change is one file with the content it would get. write and edit make one
// when they plan; preview and run then use exactly this value.
type change struct {
	path Path
	was  snapshot
	data []byte // what the file will hold
	from string // text before and after, as diffed
	to   string
	// unread says that the session has not seen the text before: what else is in it
	// stays unread.
	unread bool
	// repository says that it was judged as a change in a directory that git obeys.
	repository bool
}

// head is the start of a file of the first folder, at most max bytes, for what
// the sidecar itself reads there. Only a regular file that is where its name
// says is read: a link may lead to anything, a named pipe waits for ever.
func (w *places) head(name string, max int64) (head []byte, cut bool, err error) {
	p, err := w.Path("vault:/" + name)
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", name, err)
	}
	if p.rel != name || p.LinkObject() != "" {
		return nil, false, fmt.Errorf("read %s: it is a link", name)
	}
	f, info, err := p.open()
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", name, err)
	}
	defer f.Close()
	head, err = io.ReadAll(io.LimitReader(f, max))
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", name, openat.Plain(err))
	}
	return head, info.Size() > int64(len(head)), nil
}

// specialOf is what a pipe, a socket or a device is known by, "" where the system does not
// tell: nobody reads what is in it.
func specialOf(info fs.FileInfo) string {
	id, ok := openat.InodeOf(info)
	if !ok || info.Mode().IsRegular() || info.IsDir() || info.Mode()&fs.ModeSymlink != 0 {
		return ""
	}
	return hashOf(fmt.Appendf(nil, "%s %d %d", info.Mode(), id.Device, id.Number))
}
