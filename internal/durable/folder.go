package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// inside is a name behind which only a directory can be: the system itself refuses
// everything else, without opening it. A named pipe in the place of a directory would be
// waited for without end, and a look before would leave a moment for one.
func inside(name string) string {
	if name == "" || runtime.GOOS == "windows" { // where files have no pipes among them
		return name
	}
	return name + string(filepath.Separator) + "."
}

// named gives an error the name that was asked for.
func named(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		pe.Path = strings.TrimSuffix(pe.Path, string(filepath.Separator)+".")
	}
	return err
}

// OpenRoot opens the directory at a path as a root. A link to one is followed. What is no
// directory is an error at once.
func OpenRoot(path string) (*os.Root, error) {
	root, err := os.OpenRoot(inside(path))
	return root, named(err)
}

// RootIn opens a directory below another one as a root, as OpenRoot does.
func RootIn(dir *os.Root, name string) (*os.Root, error) {
	root, err := dir.OpenRoot(inside(name))
	return root, named(err)
}

// OpenDir opens the directory at a path to read its names, as OpenRoot does.
func OpenDir(path string) (*os.File, error) {
	f, err := os.Open(inside(path))
	return f, named(err)
}

// DirIn opens a directory below another one to read its names, as OpenRoot does.
func DirIn(dir *os.Root, name string) (*os.File, error) {
	f, err := dir.Open(inside(name))
	return f, named(err)
}

// FileIn opens a regular file below a directory to read it. Anything else is ErrNoFile at
// once.
func FileIn(dir *os.Root, name string) (*os.File, error) {
	info, err := dir.Stat(name) // a device must not be opened at all
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: ErrNoFile}
	}
	if err != nil {
		return nil, err
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|nonblock(), 0)
	if err != nil {
		return nil, err
	}
	return regular(f)
}

// Tree is what is below a directory, as its FS, for walks. Nothing in it is waited for.
func Tree(dir *os.Root) fs.FS { return below{dir} }

type below struct{ dir *os.Root }

func (b below) Open(name string) (fs.File, error) { return FileIn(b.dir, filepath.FromSlash(name)) }

func (b below) Stat(name string) (fs.FileInfo, error) { return b.dir.Stat(filepath.FromSlash(name)) }

func (b below) ReadDir(name string) ([]fs.DirEntry, error) {
	f, err := DirIn(b.dir, filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// ReadFileIn reads a regular file below a directory, at most so many bytes of it. One that
// is longer is ErrLong.
func ReadFileIn(dir *os.Root, name string, most int64) ([]byte, error) {
	f, err := FileIn(dir, name)
	if err != nil {
		return nil, err
	}
	return readAll(f, most)
}
