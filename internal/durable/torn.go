package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// CutTorn takes a last line without a newline off the file at path and returns
// how many bytes that was; whole lines are never touched, whatever is in them.
// The bytes are first added to the file keepAs, with a newline behind them,
// unless keepAs is "" (events.torn). A crash in between keeps them twice, never
// loses them. No file is 0 bytes and no error.
func (d *Disk) CutTorn(path, keepAs string) (cut int64, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("cut torn line: %w", err)
	}
	defer f.Close()
	size, good, err := lastLineEnd(f)
	if err != nil {
		return 0, fmt.Errorf("cut torn line of %s: %w", path, err)
	}
	if good == size {
		return 0, nil
	}
	if keepAs != "" {
		if err := d.keepTorn(keepAs, io.NewSectionReader(f, good, size-good)); err != nil {
			return 0, fmt.Errorf("keep torn line of %s: %w", path, err)
		}
	}
	err = d.step(OpCutTorn, path, func() error { return errors.Join(f.Truncate(good), syncedFile(f)) })
	if err != nil {
		return 0, fmt.Errorf("cut torn line of %s: %w", path, err)
	}
	return size - good, nil
}

// lastLineEnd finds where the last whole line ends, looking from the end of the
// file backwards.
func lastLineEnd(f *os.File) (size, good int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	size = info.Size()
	buf := make([]byte, 64<<10)
	for end := size; end > 0; {
		from := max(0, end-int64(len(buf)))
		part := buf[:end-from]
		if _, err := f.ReadAt(part, from); err != nil {
			return 0, 0, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return size, from + int64(i) + 1, nil
		}
		end = from
	}
	return size, 0, nil
}

// keepTorn adds what will be cut to a file of its own.
func (d *Disk) keepTorn(path string, r io.Reader) error {
	return d.step(OpKeepTorn, path, func() error {
		if err := onlyFile(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, io.MultiReader(r, bytes.NewReader([]byte{'\n'})))
		if err == nil {
			err = syncedFile(f)
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
		return syncDir(filepath.Dir(path))
	})
}
