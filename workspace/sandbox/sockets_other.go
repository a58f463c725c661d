//go:build !linux

package sandbox

func daemonSockets() []string { return nil }
