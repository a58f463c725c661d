//go:build unix

package workspace

import "golang.org/x/sys/unix"

func mayWriteIn(dir string) bool { return unix.Access(dir, unix.W_OK) == nil }
