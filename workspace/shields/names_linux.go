package shields

import (
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// namesIn are at most so many names of an open directory, and their kinds. A file that
// was opened below a folder asks about each name besides, which is most of what a look
// costs; this one asks only where the file system does not say a kind with the name,
// and then in the very directory.
func namesIn(dir *os.File, most int) ([]fs.DirEntry, error) {
	fd, err := unix.FcntlInt(dir.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return dir.ReadDir(most)
	}
	plain := os.NewFile(uintptr(fd), "/proc/self/fd/"+strconv.Itoa(fd))
	defer plain.Close()
	return plain.ReadDir(most)
}
