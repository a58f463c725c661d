//go:build !unix

package workspace

import "io/fs"

// linkCount is how many names the file has; 1 when that is not known.
func linkCount(fs.FileInfo) int { return 1 }

// inodeOf is not known.
func inodeOf(fs.FileInfo) (inode, bool) { return inode{}, false }
