package config

import (
	"os"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/durable"
)

// TellOnce says whether a person is to be told something in a workspace, and remembers
// that they were, in <home>/told. Where that cannot be kept they are told again.
func TellOnce(disk *durable.Disk, home, workspace, what string) bool {
	path := filepath.Join(home, "told", filepath.Base(workspace)+"."+what)
	if _, err := os.Lstat(path); err == nil {
		return false
	}
	if err := disk.MkdirAll(filepath.Dir(path), 0o700); err == nil {
		_ = disk.WriteCache(path, nil, 0o600) // to be told twice does no harm
	}
	return true
}
