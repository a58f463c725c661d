//go:build !unix

package workspace

import "os"

// mayWriteIn believes the directory's own mark; its access list is looked at by
// anyone who writes.
func mayWriteIn(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.Mode().Perm()&0o200 != 0
}
