package workspace

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
)

// tree reads many files below one directory. With openat2 the kernel itself
// refuses to go through links or out of the directory, in one call a file;
// where that call is missing or forbidden os.Root does it.
type tree struct {
	dir *os.Root
	fd  *os.File
}

func newTree(dir *os.Root) (tree, error) {
	f, err := dir.Open(".")
	return tree{dir, f}, err
}

func (t tree) close() {
	t.fd.Close()
	t.dir.Close()
}

// read reads the regular file rel into buf, growing it, if it has at most limit
// bytes. size is its size.
func (t tree) read(rel string, limit int64, buf *[]byte) (data []byte, size int64, err error) {
	fd, err := unix.Openat2(int(t.fd.Fd()), filepath.FromSlash(rel), &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NONBLOCK | unix.O_NOFOLLOW,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	})
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.EAGAIN) {
		return t.readSlowly(rel, limit, buf)
	}
	if err != nil {
		return nil, 0, err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, 0, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, 0, openat.ErrMoved
	}
	if st.Size > limit {
		return nil, st.Size, nil
	}
	return readAll(func(b []byte) (int, error) {
		for {
			n, err := unix.Read(fd, b)
			if errors.Is(err, unix.EINTR) {
				continue
			}
			if err == nil && n == 0 {
				err = io.EOF
			}
			return max(n, 0), err
		}
	}, st.Size, limit, buf)
}
