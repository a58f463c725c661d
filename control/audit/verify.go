package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// Fault is the first line of an audit that is not as it was written.
type Fault struct {
	File   string
	Line   int // from 1; 0 is the file as a whole
	Reason string
}

// Error is "file:line: reason".
func (f *Fault) Error() string {
	if f.Line == 0 {
		return fmt.Sprintf("%s: %s", f.File, f.Reason)
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Reason)
}

// Verify checks the whole chain of the audit at path, its rotated files
// first, and gives the number of its lines. The error is an *Fault that names
// the first bad line. A chain that was cut at its end cannot be seen from the file
// alone, so named are the hashes that the session's run.ended events hold: each
// must be a link, in their order.
func Verify(path string, named ...string) (lines int, err error) {
	if info, err := os.Lstat(path + ".lock"); err == nil && info.Mode().IsRegular() { // a copy somewhere else has no writer
		if lock, err := durable.LockBeside(path); err == nil {
			defer lock.Close()
		}
	}
	files, err := filesOf(path)
	if err != nil {
		return 0, err
	}
	named = slices.DeleteFunc(slices.Clone(named), func(h string) bool { return h == firstHash }) // no line was there yet
	if len(files) == 0 && len(named) == 0 {
		return 0, fmt.Errorf("verify the audit: %w", &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist})
	}
	c := chain{prev: firstHash, session: sessionOf(path), named: named}
	for _, file := range files {
		if err := c.file(file); err != nil {
			return c.lines, err
		}
	}
	if len(c.named) > 0 {
		return c.lines, &Fault{File: path, Reason: fmt.Sprintf("the session's log names the line with hash %s, and it is not here: lines were cut off, or the file is another one", c.named[0])}
	}
	return c.lines, nil
}

// sessionOf is the session whose audit a path is; changes of the configuration, and what
// is known of all sessions, belong to none.
func sessionOf(path string) string {
	if name := strings.TrimSuffix(filepath.Base(path), ".jsonl"); name != "config" && name != sessionsName {
		return name
	}
	return ""
}

// chain is how far a verification has come.
type chain struct {
	prev    string
	session string
	named   []string // hashes that must still come
	lines   int
}

func (c *chain) file(file string) error {
	text, err := readFile(file)
	if err != nil {
		return fmt.Errorf("verify the audit: %w", err)
	}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if reason := c.line(line); reason != "" {
			return &Fault{file, n, reason}
		}
		c.lines++
	}
	return nil
}

// line takes one more link and says what is wrong with it.
func (c *chain) line(line []byte) (fault string) {
	body, whole := bytes.CutSuffix(line, []byte("\n"))
	if !whole {
		return "the line is torn"
	}
	m := hashMember().FindSubmatchIndex(body)
	if m == nil {
		return "the line has no hash"
	}
	bare := slices.Concat(body[:m[0]], []byte("}"))
	hash := string(body[m[2]:m[3]])
	var l Line
	switch {
	case hashText(string(bare)) != hash:
		return "the line was changed: its hash does not fit"
	case json.Unmarshal(bare, &l) != nil:
		return "the line is not JSON"
	case l.PrevHash != c.prev:
		return "a line before this one was changed, moved or taken out: prevHash does not fit"
	case l.SessionID != c.session:
		return fmt.Sprintf("the line is of session %q: the file is that of another session", l.SessionID)
	}
	c.prev = hash
	for len(c.named) > 0 && c.named[0] == hash {
		c.named = c.named[1:]
	}
	return ""
}

// Read calls line with every line of the audit at path, oldest first; those
// that cannot be read come as raw text and a nil Line. It checks nothing.
func Read(path string, line func(l *Line, raw string)) error {
	files, err := filesOf(path)
	if _, gap := errors.AsType[*Fault](err); err != nil && !gap {
		return err
	}
	for _, file := range files {
		text, err := readFile(file)
		if err != nil {
			return fmt.Errorf("read the audit: %w", err)
		}
		for raw := range bytes.Lines(text) {
			l := &Line{}
			if json.Unmarshal(raw, l) != nil {
				l = nil
			}
			line(l, strings.TrimSuffix(string(raw), "\n"))
		}
	}
	return nil
}

// rotated are the numbers of an audit's rotated files, in order.
func rotated(path string) ([]int, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, e := range entries {
		digits, ours := strings.CutPrefix(e.Name(), filepath.Base(path)+".")
		if n, err := strconv.Atoi(digits); ours && err == nil && n > 0 && strconv.Itoa(n) == digits {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// filesOf lists the rotated files of an audit, oldest first, and the current
// one. Where a number is missing the error is an *Fault.
func filesOf(path string) ([]string, error) {
	numbers, err := rotated(path)
	if err != nil {
		return nil, fmt.Errorf("read the audit: %w", err)
	}
	var files []string
	var gap error
	for i, n := range numbers {
		if n != i+1 && gap == nil {
			gap = &Fault{File: path + "." + strconv.Itoa(i+1), Reason: "the file is missing"}
		}
		files = append(files, path+"."+strconv.Itoa(n))
	}
	if _, err := os.Stat(path); err == nil {
		files = append(files, path)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the audit: %w", err)
	}
	return files, gap
}

// lastOf finds the hash of the last whole line of an audit, over rotation.
func lastOf(path string) (string, error) {
	files, err := filesOf(path)
	if _, gap := errors.AsType[*Fault](err); err != nil && !gap { // the chain goes on; Verify names the gap
		return "", err
	}
	for _, file := range slices.Backward(files) {
		hash, err := lastHash(file)
		if err != nil || hash != "" {
			return hash, err
		}
	}
	return firstHash, nil
}

// readFile reads a file of an audit whole.
func readFile(path string) ([]byte, error) {
	f, err := durable.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

var hashMember = lazy.Regexp(`,"hash":"([0-9a-f]{64})"\}$`)

// lastHash reads the end of a file. A torn last line is skipped.
func lastHash(path string) (string, error) {
	f, err := durable.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	for size := int64(64 << 10); ; size *= 4 {
		from := max(0, info.Size()-size)
		tail := make([]byte, info.Size()-from)
		if _, err := f.ReadAt(tail, from); err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		lines := bytes.Split(tail, []byte("\n"))
		for _, line := range slices.Backward(lines[:len(lines)-1]) { // what is behind the last line end is torn
			if m := hashMember().FindSubmatch(line); m != nil {
				return string(m[1]), nil
			}
		}
		if from == 0 {
			return "", nil
		}
	}
}
