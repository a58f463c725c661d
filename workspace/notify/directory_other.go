//go:build !unix

package notify

import "os"

// identity is what a directory is known by, whatever its path: here nothing.
type identity struct{ device uint64 }

func identityOf(*os.File) (identity, error) { return identity{}, nil }

func identityAt(string) (identity, error) { return identity{}, nil }

// OpenDirectory opens a directory for reading its names.
func OpenDirectory(path string, _ bool) (*os.File, error) { return os.Open(path) }
