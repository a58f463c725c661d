package walk

import "golang.org/x/sys/unix"

// onProcfs says that the kernel shows processes in a directory.
func onProcfs(dir string) bool {
	var st unix.Statfs_t
	return unix.Statfs(dir, &st) == nil && st.Type == unix.PROC_SUPER_MAGIC
}
