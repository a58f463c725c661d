//go:build !linux

package workspace

func daemonSockets() []string { return nil }
