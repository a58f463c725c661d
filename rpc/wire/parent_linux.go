package wire

import (
	"os"

	"golang.org/x/sys/unix"
)

// awaitExit returns a function that sleeps in the runtime's poller until the
// process ends (true) or release is called (false), and nil where the kernel
// gives no pidfd. alive is false for a process that has ended already and was
// only not waited for. Unlike kill(pid, 0) a pidfd is not fooled by a zombie or by
// another process under the same number.
func awaitExit(pid int) (wait func() bool, release func(), alive bool) {
	fd, err := unix.PidfdOpen(pid, unix.O_NONBLOCK)
	if err != nil {
		return nil, func() {}, true
	}
	file := os.NewFile(uintptr(fd), "pidfd")
	conn, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return nil, func() {}, true
	}
	wait = func() bool {
		gone := false
		err := conn.Read(func(fd uintptr) bool {
			gone = exited(int(fd))
			return gone
		})
		return err == nil && gone
	}
	return wait, func() { file.Close() }, !exited(fd)
}

// exited asks without waiting whether the pidfd is readable, which it is from
// the end of its process on.
func exited(fd int) bool {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(fds, 0)
		if err != unix.EINTR {
			return err == nil && n > 0
		}
	}
}
