package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// ErrNoFile says that something else is where a file belongs.
var ErrNoFile = errors.New("is not a file")

// onlyFile says why what is at a path must not be opened: a named pipe that
// somebody has put there is waited for without end, and a device never ends.
func onlyFile(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNoFile}
	}
	return err
}

// Open opens a file to read it. Anything else is ErrNoFile, and not touched.
func Open(path string) (*os.File, error) {
	if err := onlyFile(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock(), 0)
	if err != nil {
		return nil, err
	}
	return regular(f)
}

// OpenAppend opens a file to add to its end, and to read it; it is made (0600) where there
// is none. Anything else is ErrNoFile, and not touched.
func OpenAppend(path string) (*os.File, error) {
	if err := onlyFile(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND|nonblock(), 0o600)
	if err != nil {
		return nil, err
	}
	return regular(f)
}

// ReadFile reads a file of at most so many bytes whole.
func ReadFile(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	return readAll(f, most)
}

// readAll reads an open file of at most so many bytes, and closes it.
func readAll(f *os.File, most int64) ([]byte, error) {
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, fmt.Errorf("read %s: it %w of %d bytes", f.Name(), ErrLong, most)
	}
	return data, err
}

// nonblock is the flag with which a named pipe is opened at once.
func nonblock() int {
	if runtime.GOOS == "windows" {
		return 0
	}
	return syscall.O_NONBLOCK
}

// regular is an open file, unless something else took its place before it was opened.
func regular(f *os.File) (*os.File, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: f.Name(), Err: ErrNoFile}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ErrLong says that what is between two newlines is no line of a Log.
var ErrLong = errors.New("is over the limit")
