//go:build !linux

package workspace

import (
	"os"

	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
)

// takeRights takes the bits that lend rights away from the regular file base in dir.
func takeRights(dir *os.Root, base string) error {
	info, err := dir.Lstat(base)
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	return dir.Chmod(base, info.Mode()&^shields.LendsRights)
}
