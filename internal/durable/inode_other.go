//go:build !unix

package durable

import "io/fs"

// inodeOf has nothing to tell on this system.
func inodeOf(fs.FileInfo) any { return nil }
