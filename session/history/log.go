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
	disk  *durable.Disk
	file  *durable.Log // nil where it is only read
	lines lines
	end   int64
	seal  seal
	every int64 // a fold is written when there are so many more bytes
	kept  int64 // when one was written last
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
	return &Log{path: path, disk: disk, file: file, every: foldEvery}, nil
}

// Open reads the log of a folder and what follows from it, after cutting a torn
// tail, which is kept in events.torn. A bad line in the middle is an error that
// names file and line; the transcript is then that of the lines before it.
func Open(disk *durable.Disk, dir string) (*Log, *Transcript, error) {
	l := &Log{path: filepath.Join(dir, LogFile), disk: disk, every: foldEvery}
	if _, err := disk.CutTorn(l.path, filepath.Join(dir, "events.torn")); err != nil {
		return nil, NewTranscript(), fmt.Errorf("cut torn tail: %w", err)
	}
	t, err := l.replay()
	if err != nil {
		return nil, t, err
	}
	if l.file, err = disk.OpenLog(l.path); err != nil {
		return nil, t, err
	}
	_ = l.Keep(t) // costs time the next time
	return l, t, nil
}

// Replay is what follows from the log of a folder, for those who only look at it.
// After an error it is what follows from the lines before the one that is named.
func Replay(dir string) (*Transcript, error) { return Read(dir).replay() }

// replay folds the log from its beginning, or from where a fold of it ends, and
// finds where its lines begin.
func (l *Log) replay() (*Transcript, error) {
	size, err := fileSize(l.path)
	if err != nil {
		return NewTranscript(), err
	}
	t := l.unfold(size)
	if t == nil {
		t = NewTranscript()
	}
	t.replaying = true
	defer t.replayed()
	before := int64(0)
	decode := func(number int64, line []byte, at int64) (Event, error) {
		l.lines.add(at)
		l.seal.add(line)
		if number < before {
			return decodeBehind(line)
		}
		return Decode(line)
	}
	if size-l.end < longLogBytes {
		err = l.decodeEach(t.Seq+1, decode, t.Apply)
	} else {
		before = summarisedBefore(l.path, l.end, size)
		err = l.decodeAhead(t.Seq+1, decode, t.Apply)
	}
	l.end = size
	return t, err
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
	return l.decodeEach(from, func(_ int64, line []byte, _ int64) (Event, error) { return Decode(line) }, each)
}

// decoder makes an event of the line of a seq, which begins at a place of the log.
type decoder func(seq int64, line []byte, at int64) (Event, error)

func (l *Log) decodeEach(from int64, decode decoder, each func(Event) error) error {
	return l.eachLine(from, func(seq int64, line []byte, at int64) error {
		e, err := decode(seq, line, at)
		if err != nil {
			return err
		}
		return each(e)
	})
}

// eachLine is Each for lines as they are, with where they begin; the line of seq n
// is the nth.
func (l *Log) eachLine(from int64, each func(seq int64, line []byte, at int64) error) error {
	begin := l.lines.before(from, l.end)
	number := begin.seq - 1
	var failed error
	_, err := durable.ReadFrom(l.path, begin.at, func(line []byte, at int64) bool {
		if number++; number < from {
			return true
		}
		err := each(number, line, at)
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
	l.seal.add(line)
	l.end = at + int64(len(line)) + 1
	return nil
}

// TakeBack takes the last line back, of which nobody has heard. Where the disk
// refuses that now, it happens before the next line.
func (l *Log) TakeBack() error {
	l.end = l.lines.last
	l.lines.drop()
	l.seal.broken = true
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
