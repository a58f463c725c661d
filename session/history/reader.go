package history

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// Reader reads the log of a session again and again while another process may be
// writing it. It remembers where each line begins, so that news cost what is new.
// A line without its end is not there yet. Nothing is mended, taken or locked. What is
// read for a context ends with it; what was seen by then is remembered.
type Reader struct {
	dir string

	mu   sync.Mutex // guards everything below
	file os.FileInfo
	log  Log // the lines of file that have been seen
	sent Sent
}

// NewReader reads the log of a folder. It touches no file.
func NewReader(dir string) *Reader { return &Reader{dir: dir} }

// Dir is the folder.
func (r *Reader) Dir() string { return r.dir }

// Tail is the seq of the last line that is there now.
func (r *Reader) Tail(ctx context.Context) (int64, error) {
	log, _, err := r.refresh(ctx)
	return log.lines.count, err
}

// Sent says which calls of the root sent its sub-agents.
func (r *Reader) Sent(ctx context.Context) (Sent, error) {
	_, sent, err := r.refresh(ctx)
	return sent, err
}

// Page reads a stretch of what is there now; see Log.Page.
func (r *Reader) Page(ctx context.Context, q PageQuery, o Origin, sent Sent) (Page, error) {
	for again := false; ; again = true {
		log, _, err := r.refresh(ctx)
		if err != nil {
			return Page{}, err
		}
		page, err := log.Page(ctx, q, o, log.lines.count, sent)
		if err == nil || again || ctx.Err() != nil {
			return page, err
		}
		r.forget() // the lines begin elsewhere in a file that was written anew with the same length
	}
}

// forget lets the file be read anew.
func (r *Reader) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.file = nil
}

// Each decodes the events from seq on that are there now; see Log.Each.
func (r *Reader) Each(ctx context.Context, from int64, each func(Event) error) error {
	log, _, err := r.refresh(ctx)
	if err != nil {
		return err
	}
	tail := log.lines.count
	return log.Each(from, func(e Event) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.Seq > tail {
			return ErrStop
		}
		return each(e)
	})
}

// refresh takes in what has been added. A file that is another one, or shorter than it
// was (a line of which nobody has heard can be taken back), is read anew.
func (r *Reader) refresh(ctx context.Context) (*Log, Sent, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	path := filepath.Join(r.dir, LogFile)
	file, err := os.Stat(path)
	if err == nil && !file.Mode().IsRegular() {
		err = durable.ErrNoFile
	}
	if err != nil {
		return &Log{path: path}, nil, fmt.Errorf("read a log: %w", err)
	}
	if r.file == nil || !os.SameFile(r.file, file) || file.Size() < r.log.end {
		r.log, r.sent = Log{path: path}, nil
	}
	r.file = file
	if file.Size() > r.log.end {
		begun := r.log.end > 0
		if err = r.more(ctx); err != nil && begun && ctx.Err() == nil { // the last line was replaced by a longer one
			r.log, r.sent = Log{path: path}, nil
			err = r.more(ctx)
		}
	}
	return r.log.View(), maps.Clone(r.sent), err
}

// more reads the lines behind those that have been seen. What they say is decoded
// by anyone who asks for them: here the line of seq n is the nth.
func (r *Reader) more(ctx context.Context) error {
	next, err := durable.ReadFrom(r.log.path, r.log.end, func(line []byte, at int64) bool {
		r.log.lines.add(at)
		if bytes.Contains(line[:min(len(line), headOfLine)], subagentStarted) {
			if e, err := Decode(line); err == nil {
				if b, ok := e.Body.(SubagentStarted); ok {
					r.sent = r.sent.With(e.Seq, b)
				}
			}
		}
		return ctx.Err() == nil
	})
	r.log.end = next
	return cmp.Or(err, ctx.Err())
}

// headOfLine is within which the type of an event stands, in bytes.
const headOfLine = 200

var subagentStarted = []byte(`"` + SubagentStarted{}.kind() + `"`)

// ErrNoChild says that a path names no sub-agent of a session.
var ErrNoChild = errors.New("is not a sub-agent of the session")

// ChildDir is the folder of the sub-agent with a path, as in ["explore#1"], of the
// session in dir.
func ChildDir(dir string, path []string) (string, error) {
	_, n, ok := strings.Cut(strings.Join(path, "/"), "#")
	number, err := strconv.Atoi(n)
	sub := filepath.Join(dir, ChildFolder, strconv.Itoa(number))
	if !ok || err != nil || !Exists(sub) {
		return "", fmt.Errorf("%q %w", strings.Join(path, "/"), ErrNoChild)
	}
	return sub, nil
}
