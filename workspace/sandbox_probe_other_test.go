//go:build !linux

package workspace

func escapeRole([]string) int { return 2 }

func hideLevels(string) error { return nil }
