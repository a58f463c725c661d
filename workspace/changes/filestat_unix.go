//go:build unix

package changes

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// statOf asks about a name in an open directory, following nothing. links is how
// many names the file has.
func statOf(dir *os.File, e fs.DirEntry) (s fileStat, links uint64, err error) {
	return statNamed(dir, e.Name())
}

func statNamed(dir *os.File, name string) (s fileStat, links uint64, err error) {
	var st unix.Stat_t
	if err := unix.Fstatat(int(dir.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return fileStat{}, 0, err
	}
	return statIn(&st), uint64(st.Nlink), nil
}

// statOfFile asks about an open file.
func statOfFile(f *os.File) (fileStat, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return fileStat{}, err
	}
	return statIn(&st), nil
}

// statAt asks about a path, following nothing at its end.
func statAt(path string) (fileStat, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return fileStat{}, err
	}
	return statIn(&st), nil
}

func statIn(st *unix.Stat_t) fileStat {
	mode := fs.FileMode(st.Mode & 0o777)
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	default:
		mode |= fs.ModeIrregular
	}
	return fileStat{
		size: st.Size, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(),
		device: uint64(st.Dev), inode: uint64(st.Ino), mode: mode,
	}
}

// openPlain opens a file for reading, following nothing at its end, and never
// waits for what is no file.
func openPlain(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
}
