//go:build !unix

package openat

import "io/fs"

// LinkCount is how many names the file has; 1 when that is not known.
func LinkCount(fs.FileInfo) int { return 1 }

// InodeOf is not known.
func InodeOf(fs.FileInfo) (Inode, bool) { return Inode{}, false }
