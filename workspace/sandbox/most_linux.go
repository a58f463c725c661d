package sandbox

import "golang.org/x/sys/unix"

// memoryHere is the memory of this machine in bytes, 0 where it cannot be told.
func memoryHere() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return int64(uint64(info.Totalram) * uint64(info.Unit))
}

// freeAt is the free space around a path in bytes, 0 where it cannot be told.
func freeAt(path string) int64 {
	var st unix.Statfs_t
	if unix.Statfs(path, &st) != nil {
		return 0
	}
	return int64(st.Bavail) * int64(st.Bsize)
}
