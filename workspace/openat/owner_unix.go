//go:build unix

package openat

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives f the owner of like where the system lets us; an ordinary
// user may not, and then the file is theirs.
func keepOwner(f *os.File, like fs.FileInfo) {
	if st, ok := like.Sys().(*syscall.Stat_t); ok {
		if int(st.Uid) != os.Geteuid() || int(st.Gid) != os.Getegid() {
			f.Chown(int(st.Uid), int(st.Gid))
		}
	}
}
