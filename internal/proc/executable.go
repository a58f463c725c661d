package proc

import (
	"os"
	"runtime"
)

// Executable is this very binary. On Linux the link in /proc leads to it also
// after an update has replaced or removed the file.
func Executable() (string, error) {
	if runtime.GOOS == "linux" {
		if _, err := os.Stat("/proc/self/exe"); err == nil {
			return "/proc/self/exe", nil
		}
	}
	return os.Executable()
}
