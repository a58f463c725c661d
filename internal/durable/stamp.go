package durable

import "os"

// Stamp tells one version of a file from another without reading it. The zero
// Stamp is that of no file.
type Stamp struct {
	Exists  bool
	size    int64
	modTime int64
	inode   any
}

// StampOf is the stamp of the file at path now.
func StampOf(path string) Stamp {
	info, err := os.Stat(path)
	if err != nil {
		return Stamp{}
	}
	return Stamp{true, info.Size(), info.ModTime().UnixNano(), inodeOf(info)}
}
