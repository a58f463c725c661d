package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
)

// Limits of what comes in.
const (
	MaxFrameBytes  = 16 << 20 // one body; larger ones are drained, never allocated
	maxHeaderBytes = 8 << 10  // one header block
	// absurdBytes is a length that is a mistake and not a frame. Draining it
	// would swallow every message that follows, so it counts as a bad header.
	absurdBytes = 1 << 30
)

// What a damaged frame is answered with; the stream maps them to -32600.
var (
	errFrameTooLarge = errors.New("frame over 16 MiB")
	errNoLength      = errors.New("header without Content-Length")
	errBadLength     = errors.New("Content-Length is not a length")
	errTwoLengths    = errors.New("two Content-Length headers")
	errHeaderLine    = errors.New("header line without a colon")
	errHeaderTooLong = errors.New("header over 8 KiB")
)

// frameReader cuts a byte stream into bodies. It accepts any case of header
// names, no blank after the colon, bare line feeds, unknown headers, and blank
// lines or a byte order mark between frames.
type frameReader struct {
	in *bufio.Reader
	// lost is set after a broken header: everything up to the next Content-Length
	// is skipped.
	lost bool
	// midline says that lost began inside a line.
	midline bool
	// found is a header block's length that was read ahead, -1 for none.
	found int64
	// drain is how many bytes of a refused body are still to be skipped.
	drain int64
	// ends are the two ends of the body that was skipped last.
	ends []byte
}

func newFrameReader(in io.Reader) *frameReader {
	return &frameReader{in: bufio.NewReaderSize(in, 64<<10), found: -1}
}

// next returns the next body. One of the errors above means that something was
// skipped and next can be called again; any other error ends the stream, and a
// frame cut by it is nothing.
func (f *frameReader) next() ([]byte, error) {
	if f.drain > 0 {
		length := f.drain
		f.drain = 0
		if err := f.skip(length); err != nil {
			return nil, err
		}
	}
	length, err := f.header()
	if err != nil {
		f.lost = f.recoverable(err) && f.found < 0
		return nil, err
	}
	if length > MaxFrameBytes {
		f.drain = length
		return nil, errFrameTooLarge
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(f.in, body); err != nil {
		return nil, err
	}
	return body, nil
}

// skippedEnds is how much of both ends of a skipped body is kept, in bytes.
const skippedEnds = 4 << 10

// skip drains a body and keeps its two ends: there its document is named.
func (f *frameReader) skip(length int64) error {
	f.ends = make([]byte, 2*skippedEnds)
	if _, err := io.ReadFull(f.in, f.ends[:skippedEnds]); err != nil {
		return err
	}
	if _, err := io.CopyN(io.Discard, f.in, length-2*skippedEnds); err != nil {
		return err
	}
	_, err := io.ReadFull(f.in, f.ends[skippedEnds:])
	return err
}

// document finds the uri of a document in what is left of a skipped message.
// Inside of a text the quotes would be escaped.
var document = regexp.MustCompile(`[{,]\s*"uri"\s*:\s*("(?:[^"\\]|\\.)*")`)

// skipped is the document that the message which was skipped last is about, ""
// where it does not say.
func (f *frameReader) skipped() string {
	found := document.FindSubmatch(f.ends)
	f.ends = nil
	if found == nil {
		return ""
	}
	return unquote(found[1])
}

// recoverable says whether next can be called again after err.
func (f *frameReader) recoverable(err error) bool {
	switch err {
	case errFrameTooLarge, errNoLength, errBadLength, errTwoLengths, errHeaderLine, errHeaderTooLong:
		return true
	}
	return false
}

// header reads one header block and returns its length.
func (f *frameReader) header() (int64, error) {
	length, size := f.found, 0
	f.found = -1
	if f.lost {
		if err := f.resync(); err != nil {
			return 0, err
		}
		line, err := f.line(maxHeaderBytes)
		if err != nil {
			return 0, err
		}
		if length, err = parseLength(line); err != nil {
			return 0, err
		}
		f.lost = false
	}
	started := length >= 0
	for {
		line, err := f.line(maxHeaderBytes - size)
		if err != nil {
			return 0, err
		}
		size += len(line) + 1
		if !started {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		if len(bytes.TrimSpace(line)) == 0 {
			switch {
			case !started:
				size = 0 // a blank line between frames
				continue
			case length < 0:
				return 0, errNoLength
			}
			return length, nil
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		switch {
		case !ok:
			return 0, errHeaderLine
		case !bytes.EqualFold(bytes.TrimSpace(name), []byte("Content-Length")):
			if !started && gluedLength(name) {
				// The tail of a body that was longer than it said; the header
				// behind it is good.
				if n, err := parseLength(value); err == nil {
					f.found = n
				}
				return 0, errHeaderLine
			}
		case length >= 0:
			return 0, errTwoLengths
		default:
			if length, err = parseLength(value); err != nil {
				return 0, err
			}
		}
		started = true
	}
}

// gluedLength says whether name is the end of a body with Content-Length
// directly behind it.
func gluedLength(name []byte) bool {
	const want = "}content-length"
	if len(name) < len(want) {
		return false
	}
	end := bytes.ToLower(name[len(name)-len(want):])
	return (end[0] == '}' || end[0] == ']') && string(end[1:]) == want[1:]
}

// line reads up to a line feed, which it drops, but at most limit bytes.
func (f *frameReader) line(limit int) ([]byte, error) {
	line, err := f.in.ReadSlice('\n')
	switch {
	case err == bufio.ErrBufferFull:
		f.midline = true
		return nil, errHeaderTooLong
	case err != nil:
		return nil, err
	case len(line) > limit:
		return nil, errHeaderTooLong
	}
	return line[:len(line)-1], nil
}

// parseLength accepts digits only: a sign, a fraction or a list is refused.
func parseLength(value []byte) (int64, error) {
	value = bytes.TrimSpace(value)
	for _, c := range value {
		if c < '0' || c > '9' {
			return 0, errBadLength
		}
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || n > absurdBytes {
		return 0, errBadLength
	}
	return n, nil
}

// resync skips to behind the next "Content-Length:" that starts a line. A body
// has no line feed at its end, so one directly behind a closing bracket counts
// as well: otherwise the good frame behind a damaged one would be lost. Text
// inside a JSON string can never look so, because its line feeds are escaped
// and a length must be followed by a real one.
func (f *frameReader) resync() error {
	const want = "content-length:"
	matched, start := 0, !f.midline
	f.midline = false
	for {
		c, err := f.in.ReadByte()
		if err != nil {
			return err
		}
		low := c
		if 'A' <= c && c <= 'Z' {
			low += 'a' - 'A'
		}
		switch {
		case matched > 0 && low == want[matched]:
			matched++
		case start && low == want[0]:
			matched = 1
		default:
			matched = 0
		}
		if matched == len(want) {
			return nil
		}
		start = c == '\n' || c == '}' || c == ']'
	}
}
