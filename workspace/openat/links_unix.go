//go:build unix

package openat

import (
	"io/fs"
	"syscall"
)

// LinkCount is how many names the file has; 1 when that is not known.
func LinkCount(fi fs.FileInfo) int {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int(st.Nlink)
	}
	return 1
}

// InodeOf is what all names of a file have in common; false where that is not known.
func InodeOf(fi fs.FileInfo) (Inode, bool) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return Inode{}, false
	}
	return Inode{uint64(st.Dev), uint64(st.Ino)}, true
}
