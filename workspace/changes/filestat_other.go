//go:build !unix

package changes

import (
	"io/fs"
	"os"
	"path/filepath"
)

// statOf asks about a name in an open directory, following nothing. What the
// system does not say of every file stays 0.
func statOf(_ *os.File, e fs.DirEntry) (s fileStat, links uint64, err error) {
	info, err := e.Info()
	if err != nil {
		return fileStat{}, 0, err
	}
	return statIn(info), 1, nil
}

func statNamed(dir *os.File, name string) (s fileStat, links uint64, err error) {
	s, err = statAt(filepath.Join(dir.Name(), name))
	return s, 1, err
}

func statOfFile(f *os.File) (fileStat, error) {
	info, err := f.Stat()
	if err != nil {
		return fileStat{}, err
	}
	return statIn(info), nil
}

func statAt(path string) (fileStat, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return fileStat{}, err
	}
	return statIn(info), nil
}

func statIn(info fs.FileInfo) fileStat {
	return fileStat{size: info.Size(), mtime: info.ModTime().UnixNano(), mode: info.Mode() & (fs.ModeType | fs.ModePerm)}
}

func openPlain(path string) (*os.File, error) { return os.Open(path) }
