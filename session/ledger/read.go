package ledger

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// maxLine is the longest line that counts, in bytes.
const maxLine = 16 << 10

// tail reads a file that grows, each time what is new.
type tail struct {
	offset int64       // where the next line begins
	seen   fs.FileInfo // the file, as it was
}

// read hands out the whole lines that are new. Where the file is another one, or shorter,
// anew is called and all of them are. broken counts lines that are none. No file has no lines.
func (t *tail) read(path string, anew func(), line func(Entry)) (broken int, err error) {
	f, err := durable.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		anew()
		*t = tail{}
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if t.seen == nil || !os.SameFile(t.seen, info) || info.Size() < t.offset {
		anew()
		t.offset = 0
	}
	t.seen = info
	r := bufio.NewReaderSize(io.NewSectionReader(f, t.offset, info.Size()-t.offset), maxLine)
	for {
		text, size, err := next(r)
		if err == io.EOF {
			return broken, nil // of a line without an end the rest is still to come
		}
		if err != nil {
			return broken, err
		}
		t.offset += size
		if len(bytes.TrimSpace(text)) == 0 && size <= maxLine {
			continue
		}
		var e Entry
		if json.Unmarshal(text, &e) != nil || !isDay(e.Day) || e.Session == "" {
			broken++
			continue
		}
		line(e)
	}
}

// next is the next line with an end, nil where it is too long, and its size in bytes.
func next(r *bufio.Reader) (text []byte, size int64, err error) {
	text, err = r.ReadSlice('\n')
	size = int64(len(text))
	for errors.Is(err, bufio.ErrBufferFull) {
		var more []byte
		more, err = r.ReadSlice('\n')
		text, size = nil, size+int64(len(more))
	}
	return text, size, err
}

func isDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// Each hands out all lines of the days from since to until, both included, in the order in
// which they were written; broken counts lines that are none. A home without any has none.
func (l *Ledger) Each(since, until string, line func(Entry)) (broken int, err error) {
	names, err := months(l.dir)
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		if name[:7] < since[:7] || name[:7] > until[:7] {
			continue
		}
		var t tail
		n, err := t.read(filepath.Join(l.dir, name), func() {}, func(e Entry) {
			if e.Day >= since && e.Day <= until {
				line(e)
			}
		})
		broken += n
		if err != nil {
			return broken, err
		}
	}
	return broken, nil
}
