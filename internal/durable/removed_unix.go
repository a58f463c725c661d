//go:build !windows

package durable

import (
	"io/fs"
	"syscall"
)

// removed says that an open file has no name any more.
func removed(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Nlink == 0
}
