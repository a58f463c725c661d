package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// MaxLine is the longest line a Log takes and ReadFrom gives, in bytes without
// its newline. (Sessions stop at 200 KB of their own accord.)
const MaxLine = 1 << 20

// ErrTorn says that a file ends in the middle of a line: CutTorn comes first.
var ErrTorn = errors.New("the last line is torn")

// Log is a file of lines to which lines are added and in which nothing is ever
// changed. It is safe for concurrent use; that only one Log of a path exists is
// what Lock is for.
type Log struct {
	disk *Disk
	path string

	mu   sync.Mutex // guards everything below
	f    *os.File   // nil when the disk was frozen before the log was opened
	size int64      // where the next line begins
	torn bool       // bytes after size are the rest of a failed write
	buf  []byte
}

// OpenLog opens the log at path for appending and creates it (0600) if there is
// none; its directory must exist. A file that ends without a newline is
// ErrTorn.
func (d *Disk) OpenLog(path string) (*Log, error) {
	l := &Log{disk: d, path: path}
	err := d.step(OpOpen, path, l.open)
	if err == nil && l.size == 0 { // made now, or by a process that got no further
		err = d.SyncDir(filepath.Dir(path))
	}
	if err != nil {
		_ = l.Close() // nothing was written
		return nil, fmt.Errorf("open log: %w", err)
	}
	return l, nil
}

func (l *Log) open() error {
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if err := l.begin(f); err != nil {
		f.Close()
		return err
	}
	l.f = f
	return nil
}

func (l *Log) begin(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if l.size = info.Size(); l.size == 0 {
		return nil
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], l.size-1); err != nil {
		return err
	}
	if last[0] != '\n' {
		return fmt.Errorf("%s: %w", l.path, ErrTorn)
	}
	return nil
}

// Append adds one line, which must not hold a newline, with one write and
// returns the offset at which it begins. When it fails the file is cut back to
// where it was, now or before the next Append, so a line is there whole or not
// at all. The line is in the file, but not yet sure to survive a power cut:
// that is Sync.
func (l *Log) Append(line []byte) (offset int64, err error) {
	if len(line) > MaxLine {
		return 0, fmt.Errorf("append to %s: a line of %d bytes is over the limit of %d", l.path, len(line), MaxLine)
	}
	if bytes.IndexByte(line, '\n') >= 0 {
		return 0, fmt.Errorf("append to %s: the line holds a newline", l.path)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.torn {
		if err := l.cutBack(); err != nil {
			return 0, fmt.Errorf("append to %s: cut the rest of a failed write: %w", l.path, err)
		}
	}
	l.buf = append(append(l.buf[:0], line...), '\n')
	offset = l.size
	n, err := l.write(l.buf)
	if err == nil {
		l.size += int64(len(l.buf))
		return offset, nil
	}
	if n > 0 {
		l.torn = true
		err = errors.Join(err, l.cutBack())
	}
	return 0, fmt.Errorf("append to %s: %w", l.path, err)
}

// write puts p at the end of the file and says how much of it is there. The
// loop for short writes is in os.File; it runs only when a disk is full.
func (l *Log) write(p []byte) (n int, err error) {
	if l.disk.Frozen() {
		return len(p), nil
	}
	if l.f == nil {
		return 0, os.ErrClosed
	}
	if err := l.same(); err != nil {
		return 0, err
	}
	return l.disk.Write(OpAppend, l.path, l.f, p)
}

// ErrForeign says that somebody else has changed, replaced or removed the file
// of an open Log. A line that followed would be lost, or be where it does not
// belong.
var ErrForeign = errors.New("was changed by somebody else")

// same holds the file against what this Log has made of it.
func (l *Log) same() error {
	info, err := l.f.Stat()
	switch {
	case err != nil:
		return err
	case removed(info):
		return fmt.Errorf("the file %w: it was removed or replaced", ErrForeign)
	case l.torn && info.Size() > l.size:
		return nil // the rest of a failed write of ours
	case info.Size() < l.size:
		return fmt.Errorf("the file %w: it is shorter than it was", ErrForeign)
	case info.Size() > l.size:
		return fmt.Errorf("the file %w: it is longer than it was", ErrForeign)
	}
	return nil
}

func (l *Log) cutBack() error {
	err := l.same()
	if err == nil {
		err = l.disk.step(OpCutBack, l.path, func() error { return l.f.Truncate(l.size) })
	}
	l.torn = err != nil
	return err
}

// TakeBack takes the last line back, which begins at offset and of which nobody
// has heard. Where that fails now it is made up for before the next Append.
func (l *Log) TakeBack(offset int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return os.ErrClosed
	}
	if err := l.same(); err != nil {
		return fmt.Errorf("take a line of %s back: %w", l.path, err)
	}
	l.size, l.torn = offset, true
	if err := l.cutBack(); err != nil {
		return fmt.Errorf("take a line of %s back: %w", l.path, err)
	}
	return nil
}

// Sync makes every line appended so far survive a power cut. After an error
// nothing is known about the lines since the last Sync that worked.
func (l *Log) Sync() error {
	f, err := l.toSync()
	if err == nil {
		err = l.disk.step(OpSync, l.path, func() error {
			if f == nil {
				return os.ErrClosed
			}
			return syncedFile(f)
		})
	}
	if err != nil {
		return fmt.Errorf("sync %s: %w", l.path, err)
	}
	return nil
}

// toSync is the file, which is synced without mu held: others append meanwhile.
func (l *Log) toSync() (*os.File, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil || l.disk.Frozen() {
		return l.f, nil
	}
	return l.f, l.same()
}

// Close closes the file without Sync. A second Close is harmless.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return nil
	}
	err := l.f.Close()
	l.f = nil
	return err
}

// ReadFrom calls line with every whole line of the file from offset on, which
// must be the beginning of a line, and with the offset at which that line
// begins; the bytes are without the newline and valid only during the call.
// line returns false to stop. ReadFrom returns the offset of the first line
// that was not handed out; a last line without a newline is not handed out.
// A line over MaxLine is an error that names its offset.
func ReadFrom(path string, offset int64, line func(line []byte, offset int64) bool) (next int64, err error) {
	f, err := Open(path)
	if err != nil {
		return offset, fmt.Errorf("read log: %w", err)
	}
	defer f.Close()
	if err := startsLine(f, offset); err != nil {
		return offset, fmt.Errorf("read %s: %w", path, err)
	}
	buf := make([]byte, 64<<10)
	held := 0 // buf[:held] is not handed out yet and begins at offset
	for {
		n, err := f.ReadAt(buf[held:], offset+int64(held))
		fresh := held
		held += n
		begin := 0
		for {
			end := bytes.IndexByte(buf[max(begin, fresh):held], '\n')
			if end < 0 {
				break
			}
			end += max(begin, fresh)
			at := offset + int64(begin)
			whole := buf[begin:end]
			begin = end + 1
			if len(whole) > MaxLine {
				return at, tooLong(path, at)
			}
			if !line(whole, at) {
				return offset + int64(begin), nil
			}
		}
		offset += int64(begin)
		held = copy(buf, buf[begin:held])
		switch {
		case err == io.EOF:
			return offset, nil
		case err != nil:
			return offset, fmt.Errorf("read log: %w", err)
		case held > MaxLine:
			return offset, tooLong(path, offset)
		case held == len(buf):
			buf = append(buf, make([]byte, len(buf))...)
		}
	}
}

func tooLong(path string, at int64) error {
	return fmt.Errorf("read %s: the line at byte %d %w of %d bytes", path, at, ErrLong, MaxLine)
}

func startsLine(f *os.File, offset int64) error {
	if offset == 0 {
		return nil
	}
	var before [1]byte
	if _, err := f.ReadAt(before[:], offset-1); err != nil || before[0] != '\n' {
		return fmt.Errorf("no line begins at byte %d", offset)
	}
	return nil
}
