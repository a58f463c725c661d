package history

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// Log is one events.jsonl: append-only, one line an event, and where the
// lines begin. It is not safe for concurrent use; its session's lock guards it.
type Log struct {
	path  string
	file  *durable.Log // nil where it is only read
	lines lines
	end   int64
}

// Create starts the log of a folder, which must not have one.
func Create(disk *durable.Disk, dir string) (*Log, error) {
	if err := disk.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create session folder: %w", err)
	}
	path := filepath.Join(dir, LogFile)
	if _, err := os.Stat(path); err == nil {
		return nil, fmt.Errorf("create %s: %w", path, os.ErrExist)
	}
	file, err := disk.OpenLog(path)
	if err != nil {
		return nil, err
	}
	return &Log{path: path, file: file}, nil
}

// Open reads the log of a folder from its beginning, after cutting a torn tail,
// which is kept in events.torn. A bad line in the middle is an error that names
// file and line.
func Open(disk *durable.Disk, dir string, each func(Event) error) (*Log, error) {
	l := &Log{path: filepath.Join(dir, LogFile)}
	if _, err := disk.CutTorn(l.path, filepath.Join(dir, "events.torn")); err != nil {
		return nil, fmt.Errorf("cut torn tail: %w", err)
	}
	size, err := fileSize(l.path)
	if err != nil {
		return nil, err
	}
	keep := func(e Event, offset int64) error {
		l.lines.add(offset)
		return each(e)
	}
	if size < longLogBytes {
		err = l.scan(1, 0, keep)
	} else {
		err = l.scanAhead(summarisedBefore(l.path, size), keep)
	}
	if err != nil {
		return nil, err
	}
	l.end = size
	l.file, err = disk.OpenLog(l.path)
	return l, err
}

// Read is the log of a folder for those who only look at it: another process may
// write on, and a torn tail is not theirs to mend.
func Read(dir string) *Log { return &Log{path: filepath.Join(dir, LogFile)} }

// Exists says whether a folder has a log.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, LogFile))
	return err == nil
}

// Remove takes the log out of a folder, which is no session then.
func Remove(disk *durable.Disk, dir string) error {
	if !Exists(dir) {
		return nil
	}
	if err := disk.Remove(filepath.Join(dir, LogFile)); err != nil {
		return err
	}
	return disk.SyncDir(dir)
}

// View is the log as it is now. It can be read while the log grows.
func (l *Log) View() *Log { return &Log{path: l.path, lines: l.lines, end: l.end} }

// ErrStop ends a scan early without being an error.
var ErrStop = errors.New("stop")

// Each decodes the events from seq on, from 1, in order, until each returns an
// error; ErrStop is none.
func (l *Log) Each(from int64, each func(Event) error) error {
	return l.scan(from, 0, func(e Event, _ int64) error { return each(e) })
}

// scan also says where each line begins; the line of seq n is the nth. Of those
// before one only that is read which decodeBehind keeps.
func (l *Log) scan(from, before int64, each func(Event, int64) error) error {
	begin := l.lines.before(from, l.end)
	number := begin.seq - 1
	var failed error
	_, err := durable.ReadFrom(l.path, begin.at, func(line []byte, at int64) bool {
		if number++; number < from {
			return true
		}
		decode := Decode
		if number < before {
			decode = decodeBehind
		}
		e, err := decode(line)
		if err == nil {
			err = each(e, at)
		}
		if err != nil && !errors.Is(err, ErrStop) {
			failed = l.badLine(number, err)
		}
		return err == nil
	})
	if errors.Is(err, durable.ErrLong) {
		err = l.badLine(number+1, err)
	}
	return errors.Join(failed, err)
}

func (l *Log) badLine(number int64, err error) error {
	return fmt.Errorf("%s: line %d: %w", l.path, number, err)
}

// Append writes one line. After an error the log is as before.
func (l *Log) Append(e Event) error {
	line, err := e.Encode()
	if err != nil {
		return err
	}
	at, err := l.file.Append(line)
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(l.path), err)
	}
	l.lines.add(at)
	l.end = at + int64(len(line)) + 1
	return nil
}

// TakeBack takes the last line back, of which nobody has heard. Where the disk
// refuses that now, it happens before the next line.
func (l *Log) TakeBack() error {
	l.end = l.lines.last
	l.lines.drop()
	return l.file.TakeBack(l.end)
}

// Sync makes what was appended durable.
func (l *Log) Sync() error { return l.file.Sync() }

// Close lets go of the file.
func (l *Log) Close() error { return l.file.Close() }

// Bytes is how long the log is.
func (l *Log) Bytes() int64 { return l.end }

func fileSize(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
