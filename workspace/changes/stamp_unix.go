//go:build unix

package changes

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// stampOf asks about a name in an open directory, following nothing. links is how
// many names the file has.
func stampOf(dir *os.File, e fs.DirEntry) (s stamp, links uint64, err error) {
	return stampNamed(dir, e.Name())
}

func stampNamed(dir *os.File, name string) (s stamp, links uint64, err error) {
	var st unix.Stat_t
	if err := unix.Fstatat(int(dir.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return stamp{}, 0, err
	}
	return stampIn(&st), uint64(st.Nlink), nil
}

// stampOfFile asks about an open file.
func stampOfFile(f *os.File) (stamp, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return stamp{}, err
	}
	return stampIn(&st), nil
}

// stampAt asks about a path, following nothing at its end.
func stampAt(path string) (stamp, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return stamp{}, err
	}
	return stampIn(&st), nil
}

func stampIn(st *unix.Stat_t) stamp {
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
	return stamp{
		size: st.Size, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(),
		device: uint64(st.Dev), inode: uint64(st.Ino), mode: mode,
	}
}

// openPlain opens a file for reading, following nothing at its end, and never
// waits for what is no file.
func openPlain(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
}
