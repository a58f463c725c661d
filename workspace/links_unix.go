//go:build unix

package workspace

import (
	"io/fs"
	"syscall"
)

// linkCount is how many names the file has; 1 when that is not known.
func linkCount(fi fs.FileInfo) int {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int(st.Nlink)
	}
	return 1
}

// inodeOf is what all names of a file have in common; false where that is not known.
func inodeOf(fi fs.FileInfo) (inode, bool) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return inode{}, false
	}
	return inode{uint64(st.Dev), uint64(st.Ino)}, true
}
