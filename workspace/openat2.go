package workspace

import (
	"errors"
	"io"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
)

// readSlowly is read through os.Root.
func (t tree) readSlowly(rel string, limit int64, buf *[]byte) (data []byte, size int64, err error) {
	f, fi, err := openat.File(t.dir, filepath.FromSlash(rel))
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	if fi.Size() > limit {
		return nil, fi.Size(), nil
	}
	return readAll(f.Read, fi.Size(), limit, buf)
}

// readAll reads to the end, at most limit bytes, into buf. A file that says its
// size is at its end when that has been read; what is added meanwhile is not
// waited for.
func readAll(read func([]byte) (int, error), size, limit int64, buf *[]byte) ([]byte, int64, error) {
	if need := int(size) + 1; cap(*buf) < need {
		*buf = make([]byte, need)
	}
	b := (*buf)[:cap(*buf)]
	n := 0
	for {
		k, err := read(b[n:])
		n += k
		switch {
		case errors.Is(err, io.EOF):
			*buf = b
			return b[:n], int64(n), nil
		case err != nil:
			return nil, 0, err
		case int64(n) > limit: // it grew meanwhile
			return nil, int64(n), nil
		case int64(n) == size && size > 0:
			*buf = b
			return b[:n], size, nil
		case n == len(b):
			b = append(b, make([]byte, len(b))...)
		}
	}
}
