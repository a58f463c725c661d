//go:build !linux

package shields

import (
	"io/fs"
	"os"
)

// namesIn are at most so many names of an open directory, and their kinds.
func namesIn(dir *os.File, most int) ([]fs.DirEntry, error) { return dir.ReadDir(most) }
