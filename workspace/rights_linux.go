package workspace

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// takeRights takes the bits that lend rights away from the regular file base in dir. It
// asks and changes through one handle of the file itself, which needs no right to read it:
// what is exchanged for a link in between stays as it is.
func takeRights(dir *os.Root, base string) error {
	in, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer in.Close()
	fd, err := unix.Openat(int(in.Fd()), base, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || st.Mode&(unix.S_ISUID|unix.S_ISGID) == 0 {
		return nil
	}
	return unix.Chmod("/proc/self/fd/"+strconv.Itoa(fd), st.Mode&0o1777)
}
