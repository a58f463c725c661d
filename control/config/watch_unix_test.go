//go:build unix

package config

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestWatchPipe: a named pipe in the place of the file is told and not waited for.
func TestWatchPipe(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "config.jsonc")
	_, until := watched(t, home)
	do(t, syscall.Mkfifo(path, 0o600))
	until("a pipe", broken)
	do(t, os.Remove(path), os.WriteFile(path, saying("plain"), 0o600))
	until("a file", modelIs("plain"))
}
