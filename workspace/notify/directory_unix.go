//go:build unix

package notify

import (
	"os"

	"golang.org/x/sys/unix"
)

// identity is what a directory is known by, whatever its path.
type identity struct{ device, inode uint64 }

func identityOf(f *os.File) (identity, error) {
	var st unix.Stat_t
	err := unix.Fstat(int(f.Fd()), &st)
	return identity{uint64(st.Dev), uint64(st.Ino)}, err
}

func identityAt(path string) (identity, error) {
	var st unix.Stat_t
	err := unix.Lstat(path, &st)
	return identity{uint64(st.Dev), uint64(st.Ino)}, err
}

// OpenDirectory opens a directory for reading its names, and never waits for what is
// none. follow: a link at its end is followed.
func OpenDirectory(path string, follow bool) (*os.File, error) {
	flags := os.O_RDONLY | unix.O_DIRECTORY | unix.O_NONBLOCK
	if !follow {
		flags |= unix.O_NOFOLLOW
	}
	return os.OpenFile(path, flags, 0)
}
