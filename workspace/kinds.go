package workspace

import (
	"fmt"
	"io/fs"

	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
)

// specialOf is what a pipe, a socket or a device is known by, "" where the system does not
// tell: nobody reads what is in it.
func specialOf(info fs.FileInfo) string {
	id, ok := openat.InodeOf(info)
	if !ok || info.Mode().IsRegular() || info.IsDir() || info.Mode()&fs.ModeSymlink != 0 {
		return ""
	}
	return hashOf(fmt.Appendf(nil, "%s %d %d", info.Mode(), id.Device, id.Number))
}
