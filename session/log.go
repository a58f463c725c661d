package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/durable"
)

// eventLog is one events.jsonl: append-only, one line an event, and where each
// line begins. It is not safe for concurrent use; its session's lock guards it.
type eventLog struct {
	path    string
	file    *durable.Log
	offsets []int64 // of the line of seq i+1
	end     int64
}

// createLog starts a log that must not exist.
func createLog(disk *durable.Disk, dir string) (*eventLog, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create session folder: %w", err)
	}
	path := filepath.Join(dir, "events.jsonl")
	if _, err := os.Stat(path); err == nil {
		return nil, fmt.Errorf("create %s: %w", path, os.ErrExist)
	}
	file, err := disk.OpenLog(path)
	if err != nil {
		return nil, err
	}
	return &eventLog{path: path, file: file}, nil
}

// openLog reads a log from its beginning, after cutting a torn tail. A bad line
// in the middle is an error that names file and line.
func openLog(disk *durable.Disk, dir string, each func(Event) error) (*eventLog, error) {
	l := &eventLog{path: filepath.Join(dir, "events.jsonl")}
	if _, err := disk.CutTorn(l.path, filepath.Join(dir, "events.torn")); err != nil {
		return nil, fmt.Errorf("cut torn tail: %w", err)
	}
	if err := l.scan(1, func(e Event, offset int64) error {
		l.offsets = append(l.offsets, offset)
		return each(e)
	}); err != nil {
		return nil, err
	}
	var err error
	if l.end, err = fileSize(l.path); err != nil {
		return nil, err
	}
	l.file, err = disk.OpenLog(l.path)
	return l, err
}

// errStop ends a scan early without being an error.
var errStop = errors.New("stop")

// scan decodes the lines from seq on, from 1; the line of seq n is the nth.
func (l *eventLog) scan(from int64, each func(Event, int64) error) error {
	number := max(from, 1) - 1
	var offset int64
	if number > 0 {
		offset = l.offsetOf(from)
	}
	var failed error
	_, err := durable.ReadFrom(l.path, offset, func(line []byte, at int64) bool {
		number++
		e, err := decode(line)
		if err == nil {
			err = each(e, at)
		}
		if err != nil && !errors.Is(err, errStop) {
			failed = fmt.Errorf("%s: line %d: %w", l.path, number, err)
		}
		return err == nil
	})
	return errors.Join(failed, err)
}

// append writes one line. After an error the log is as before.
func (l *eventLog) append(e Event) error {
	line, err := e.encode()
	if err != nil {
		return err
	}
	at, err := l.file.Append(line)
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(l.path), err)
	}
	l.offsets = append(l.offsets, at)
	l.end = at + int64(len(line)) + 1
	return nil
}

func (l *eventLog) sync() error { return l.file.Sync() }

func (l *eventLog) close() error { return l.file.Close() }

// offsetOf is where the line of seq begins, or the end when there is none yet.
func (l *eventLog) offsetOf(seq int64) int64 {
	if seq < 1 {
		seq = 1
	}
	if seq > int64(len(l.offsets)) {
		return l.end
	}
	return l.offsets[seq-1]
}

func fileSize(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
