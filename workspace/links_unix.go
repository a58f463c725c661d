//go:build unix

package workspace

import (
	"io/fs"
	"os"
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

// keepOwner gives f the owner of like where the system lets us; an ordinary
// user may not, and then the file is theirs.
func keepOwner(f *os.File, like fs.FileInfo) {
	if st, ok := like.Sys().(*syscall.Stat_t); ok {
		if int(st.Uid) != os.Geteuid() || int(st.Gid) != os.Getegid() {
			f.Chown(int(st.Uid), int(st.Gid))
		}
	}
}
