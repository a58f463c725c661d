//go:build !linux || !(amd64 || arm64)

package opens

// Launcher is false: no process is started for it here.
func Launcher() bool { return false }
