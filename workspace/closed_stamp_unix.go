//go:build unix

package workspace

import (
	"io/fs"

	"golang.org/x/sys/unix"

	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
)

// stampAt asks about a path and follows no link at its end. The times are in
// nanoseconds.
func stampAt(path string) (pathStamp, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return pathStamp{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	return pathStamp{
		Inode: openat.Inode{Device: uint64(st.Dev), Number: uint64(st.Ino)}, links: uint64(st.Nlink), size: st.Size, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(),
		dir: st.Mode&unix.S_IFMT == unix.S_IFDIR, regular: st.Mode&unix.S_IFMT == unix.S_IFREG,
	}, nil
}
