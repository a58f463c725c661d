//go:build !linux

package proc

import "os"

// OutputPipe is os.Pipe.
func OutputPipe() (r, w *os.File, err error) { return os.Pipe() }
