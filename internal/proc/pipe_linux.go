package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// outputPipe is how much a command can write before somebody reads, in bytes:
// the most that an unprivileged process may ask for by default.
const outputPipe = 1 << 20

// OutputPipe is os.Pipe with a larger buffer where the system allows it, for
// the output of a command: fewer switches between writer and reader.
func OutputPipe() (r, w *os.File, err error) {
	if r, w, err = os.Pipe(); err != nil {
		return nil, nil, err
	}
	if raw, err := r.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { unix.FcntlInt(fd, unix.F_SETPIPE_SZ, outputPipe) })
	}
	return r, w, nil
}
