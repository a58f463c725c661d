package bundle

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Bundle is a bundle that has been read and checked: its sums hold, every event
// can be read, and the logs keep the laws of a log.
type Bundle struct {
	Header
	Logs    []Log // the root's first
	Parts   []Part
	LeftOut []LeftOut
}

// Log is one log of a bundle, the root's or a sub-agent's.
type Log struct {
	Child int // 0: the root's
	Lines []Line
}

// Line is one event and the line of the bundle that it is on.
type Line struct {
	history.Event
	Number int
}

// Part is a blob or an artifact.
type Part struct {
	Blob     string // hex sha256; "" for an artifact
	Artifact string // its id where the bundle was written
	MIMEType string
	Data     []byte
}

// Root is the log of the session itself.
func (b *Bundle) Root() Log { return b.Logs[0] }

// Read reads a bundle and checks all of it. An error is one sentence that names
// the line.
func Read(from io.Reader) (*Bundle, error) {
	raw, err := io.ReadAll(io.LimitReader(from, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the bundle: %w", err)
	case len(raw) > maxFile:
		return nil, fmt.Errorf("the bundle is over %d MiB", maxFile>>20)
	}
	r := &reader{rest: raw, whole: raw}
	b, err := r.bundle()
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", max(r.number, 1), err)
	}
	return b, nil
}

// reader goes through the lines of a bundle.
type reader struct {
	whole, rest []byte
	number      int // of the line that next gave last
	out         Bundle
	laws        *laws
}

var errCutShort = errors.New("the bundle ends here: it was cut short")

// next is the next line, and false at the end of the file.
func (r *reader) next() (line []byte, ok bool, err error) {
	if len(r.rest) == 0 {
		return nil, false, nil
	}
	r.number++
	i := bytes.IndexByte(r.rest, '\n')
	switch {
	case i < 0:
		return nil, false, errCutShort
	case i > maxLine:
		return nil, false, fmt.Errorf("the line is over %d bytes", maxLine)
	}
	line, r.rest = r.rest[:i], r.rest[i+1:]
	return line, true, nil
}

// must is next where there must be one.
func (r *reader) must() ([]byte, error) {
	line, ok, err := r.next()
	if err == nil && !ok {
		err = errCutShort
	}
	return line, err
}

func (r *reader) bundle() (*Bundle, error) {
	if err := r.header(); err != nil {
		return nil, err
	}
	for {
		before := len(r.whole) - len(r.rest)
		line, err := r.must()
		if err != nil {
			return nil, err
		}
		var kind struct {
			Log, Blob, Artifact, LeftOut *string
			End                          bool
		}
		if err := json.Unmarshal(line, &kind); err != nil {
			return nil, errors.New("this is not a line of a bundle")
		}
		switch {
		case kind.End:
			return &r.out, r.end(line, before)
		case kind.Log != nil:
			err = r.log(line)
		case kind.Blob != nil, kind.Artifact != nil:
			err = r.part(line)
		case kind.LeftOut != nil:
			var l LeftOut
			if err = json.Unmarshal(line, &l); err == nil {
				r.out.LeftOut = append(r.out.LeftOut, l)
			}
		default:
			err = errors.New("this is none of log, blob, artifact, leftOut, end")
		}
		if err != nil {
			return nil, err
		}
	}
}

func (r *reader) header() error {
	line, ok, err := r.next()
	if err != nil && !bytes.HasPrefix(r.whole, []byte(`{"bundle"`)) || err == nil && !ok {
		return errors.New("this is not a bundle of a session")
	}
	if err != nil {
		return err
	}
	if json.Unmarshal(line, &r.out.Header) != nil || r.out.Bundle != formatName {
		return errors.New("this is not a bundle of a session")
	}
	if v := r.out.Version; v < 1 || v > Version {
		return fmt.Errorf("the bundle is of version %d; this program reads version %d", v, Version)
	}
	return nil
}

// log reads a log of the length that its head says.
func (r *reader) log(line []byte) error {
	var head logHead
	if err := json.Unmarshal(line, &head); err != nil {
		return errors.New("this is not the head of a log")
	}
	child := 0
	if head.Log != "root" {
		n, err := strconv.Atoi(strings.TrimPrefix(head.Log, "sub/"))
		if err != nil || n < 1 || n > maxChildren || head.Log != "sub/"+strconv.Itoa(n) {
			return fmt.Errorf("%q is neither root nor sub/<n>", head.Log)
		}
		child = n
	}
	if (child == 0) != (len(r.out.Logs) == 0) {
		return errors.New("the root's log comes first, and once")
	}
	for _, l := range r.out.Logs {
		if l.Child == child {
			return fmt.Errorf("a second log %s", head.Log)
		}
	}
	if head.Events < 1 && child == 0 {
		return errors.New("a log without events")
	}
	log := Log{Child: child}
	r.laws = newLaws()
	for range head.Events {
		raw, err := r.must()
		if err != nil {
			return err
		}
		event, err := history.Decode(raw)
		if err == nil {
			err = r.laws.take(event)
		}
		if err != nil {
			return fmt.Errorf("event of log %s: %w", head.Log, err)
		}
		log.Lines = append(log.Lines, Line{event, r.number})
	}
	r.out.Logs = append(r.out.Logs, log)
	return nil
}

// part reads the pieces of a blob or an artifact, and holds them against their sum.
func (r *reader) part(line []byte) error {
	var head partHead
	if err := json.Unmarshal(line, &head); err != nil || (head.Blob == "") == (head.Artifact == "") {
		return errors.New("this is not the head of a blob or an artifact")
	}
	if head.Bytes < 0 || head.Bytes > maxPart {
		return fmt.Errorf("a blob or an artifact of %d bytes; the most is %d", head.Bytes, maxPart)
	}
	if head.Encoding != "utf8" && head.Encoding != "base64" {
		return fmt.Errorf("encoding %q is neither utf8 nor base64", head.Encoding)
	}
	data := make([]byte, 0, min(head.Bytes, maxPiece)) // what is said is not believed
	for len(data) < head.Bytes {
		line, err := r.must()
		if err != nil {
			return err
		}
		var p piece
		if err := json.Unmarshal(line, &p); err != nil || p.Data == "" {
			return errors.New("a piece of data is missing here")
		}
		if head.Encoding == "utf8" {
			data = append(data, p.Data...)
			continue
		}
		if data, err = base64.StdEncoding.AppendDecode(data, []byte(p.Data)); err != nil {
			return errors.New("this is not base64")
		}
	}
	if len(data) != head.Bytes || hashOf(data) != head.Blob+head.SHA256 {
		return errors.New("the blob or artifact that ends here is damaged: its sum is another")
	}
	r.out.Parts = append(r.out.Parts, Part{head.Blob, head.Artifact, head.MIMEType, data})
	return nil
}

// end holds the sum of everything against what is before this line.
func (r *reader) end(line []byte, before int) error {
	var e end
	if err := json.Unmarshal(line, &e); err != nil {
		return errors.New("this is not the end of a bundle")
	}
	switch {
	case len(r.out.Logs) == 0:
		return errors.New("the bundle contains no log")
	case len(r.rest) > 0:
		return errors.New("something follows the end of the bundle")
	case e.Lines != r.number-1:
		return fmt.Errorf("the end says %d lines, but there were %d", r.number-1, e.Lines)
	case e.SHA256 != hashOf(r.whole[:before]):
		return errors.New("the bundle was changed since it was written: the sum of its lines is another")
	}
	return nil
}
