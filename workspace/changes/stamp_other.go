//go:build !unix

package changes

import (
	"io/fs"
	"os"
	"path/filepath"
)

// stampOf asks about a name in an open directory, following nothing. What the
// system does not say of every file stays 0.
func stampOf(_ *os.File, e fs.DirEntry) (s stamp, links uint64, err error) {
	info, err := e.Info()
	if err != nil {
		return stamp{}, 0, err
	}
	return stampIn(info), 1, nil
}

func stampNamed(dir *os.File, name string) (s stamp, links uint64, err error) {
	s, err = stampAt(filepath.Join(dir.Name(), name))
	return s, 1, err
}

func stampOfFile(f *os.File) (stamp, error) {
	info, err := f.Stat()
	if err != nil {
		return stamp{}, err
	}
	return stampIn(info), nil
}

func stampAt(path string) (stamp, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return stamp{}, err
	}
	return stampIn(info), nil
}

func stampIn(info fs.FileInfo) stamp {
	return stamp{size: info.Size(), mtime: info.ModTime().UnixNano(), mode: info.Mode() & (fs.ModeType | fs.ModePerm)}
}

func openPlain(path string) (*os.File, error) { return os.Open(path) }
