package model

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Bounds of one answer. Nothing that a provider sends may exhaust the process.
const (
	maxLine   = 16 << 20  // one line, and one event of several lines
	maxAnswer = 256 << 20 // everything, framing included
	maxBody   = 16 << 20  // a body that is no stream at all
)

// eventReader is between a response body and go-openai's reader, which
// loses events and errors in many real streams. It reads server-sent events by
// the standard and beyond it, and gives out only what that reader cannot
// misread: one `data: {…}` line per event, each valid JSON, and `data: [DONE]`.
//
// A body that is no stream becomes one event; errors in every form become an
// event with a member "error". What cannot be understood is an error of Read.
type eventReader struct {
	in    *bufio.Reader
	close func() error
	life  *idleTimer

	out   []byte // given out by Read
	ready []byte // the rest of out
	err   error  // after ready

	data   [][]byte // data lines of an event that is not complete yet
	size   int      // bytes in data
	event  string   // the value of the last event: line
	stray  []byte   // lines that are no event: the rest of a JSON body
	total  int
	events int // given out so far
	first  bool
	marked bool // [DONE] was seen
	body   bool // an event came as a JSON body, without the framing of a stream
}

// errUnreadable is a stream that is not what it says it is.
//
// notAStream is a page of some other server: asking again will not help.
type errUnreadable struct{ what, sample string }

const notAStream = "the answer is not an event stream; is the base URL right?"

func (e *errUnreadable) Error() string {
	if e.sample == "" {
		return e.what
	}
	return fmt.Sprintf("%s: %s", e.what, clip(e.sample, 300))
}

// newEventReader reads events from body. life may be nil; else it is told of
// every sign of life.
func newEventReader(body io.ReadCloser, life *idleTimer) *eventReader {
	r := &eventReader{close: body.Close, life: life, first: true}
	r.in = bufio.NewReaderSize(&counted{body, r}, 32<<10)
	return r
}

// counted bounds the body and bounds each wait for it.
type counted struct {
	body io.Reader
	r    *eventReader
}

func (c *counted) Read(p []byte) (int, error) {
	c.r.life.startClock()
	n, err := c.body.Read(p)
	c.r.life.stopClock()
	if c.r.total += n; c.r.total > maxAnswer {
		return 0, &errUnreadable{what: "the answer is larger than 256 MiB"}
	}
	return n, err
}

// Close ends the answer and, unless it was read to its end, the connection.
func (r *eventReader) Close() error { return r.close() }

// drain reads what follows the end marker, which is nothing, for a moment: a
// body read to its end leaves a connection that can be used again.
func (r *eventReader) drain() {
	r.life.drain()
	_, _ = io.CopyN(io.Discard, r.in, 16<<10)
}

// Read gives out cleaned events (io.Reader).
func (r *eventReader) Read(p []byte) (int, error) {
	for len(r.ready) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.out = r.out[:0]
		r.err = r.next()
		r.ready = r.out
	}
	n := copy(p, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}

// next reads lines until an event was emitted, or the end.
func (r *eventReader) next() error {
	for len(r.out) == 0 {
		line, err := r.line()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		ended := err != nil
		// CRLF, and lone CR, end a line too.
		for part := range bytes.SplitSeq(bytes.TrimSuffix(line, []byte{'\r'}), []byte{'\r'}) {
			if err := r.take(part); err != nil {
				return err
			}
		}
		if ended {
			if err := r.dispatch(); err != nil {
				return endedIn(err)
			}
			if err := r.strayBody(); err != nil {
				return err
			}
			return io.EOF
		}
	}
	return nil
}

// endedIn is what is wrong with the last event where no more comes: what is cut there is no
// fault of the form.
func endedIn(err error) error {
	var u *errUnreadable
	if errors.As(err, &u) && isCut(u.sample) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// line is the next line without its newline; with io.EOF it is the last one.
// It is valid until the next call.
func (r *eventReader) line() ([]byte, error) {
	line, err := r.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long := bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) {
			line, err = r.in.ReadSlice('\n')
			if long = append(long, line...); len(long) > maxLine {
				return nil, &errUnreadable{what: "a line of the answer is larger than 16 MiB"}
			}
		}
		line = long
	}
	if r.first && len(line) > 0 {
		r.first = false
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return bytes.TrimSuffix(line, []byte{'\n'}), err
}

// take handles one line.
func (r *eventReader) take(line []byte) error {
	line = bytes.TrimLeft(line, " ") // a leading space was seen in the field
	if len(line) == 0 {
		return r.dispatch()
	}
	if line[0] == ':' {
		return nil // a comment: life, but only for a while
	}
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimSpace(value)
	switch string(name) {
	case "data":
		return r.dataLine(value)
	case "error":
		return r.emit(asError(value))
	case "event":
		r.event = string(value)
	case "id", "retry":
	default:
		return r.strayLine(line)
	}
	return nil
}

// dataLine gives a complete event out at once, without waiting for the blank
// line that some providers never send; else it waits for more data lines.
func (r *eventReader) dataLine(value []byte) error {
	switch {
	case len(r.data) == 0 && len(value) == 0:
		return nil // keep-alive
	case len(r.data) == 0 && string(value) == "[DONE]":
		return r.done()
	case len(r.data) == 0 && json.Valid(value):
		return r.emit(value)
	}
	if r.size += len(value) + 64; r.size > maxLine { // a line has its price, too
		return &errUnreadable{what: "an event of the answer is larger than 16 MiB"}
	}
	r.data = append(r.data, bytes.Clone(value))
	return nil
}

// dispatch ends an event of several data lines.
func (r *eventReader) dispatch() error {
	if len(r.data) == 0 {
		r.event = ""
		return nil
	}
	lines := r.data
	r.data, r.size = nil, 0
	whole := bytes.Join(lines, []byte{' '}) // a newline inside valid JSON is only white space
	if json.Valid(whole) {
		return r.emit(whole)
	}
	// Events that no blank line separates: the marker may be last.
	if last := len(lines) - 1; last > 0 && string(lines[last]) == "[DONE]" {
		if rest := bytes.Join(lines[:last], []byte{' '}); json.Valid(rest) {
			if err := r.emit(rest); err != nil {
				return err
			}
			return r.done()
		}
	}
	if r.event == "error" {
		return r.emit(asError(whole))
	}
	return &errUnreadable{"data that is not JSON", string(whole)}
}

func (r *eventReader) done() error {
	r.events++
	r.life.event()
	r.marked = true
	r.out = append(r.out, "data: [DONE]\n"...)
	return nil
}

// isHeartbeat: an event that only says that the work goes on; like a comment it
// is life, but only for a while. In a text these names are escaped.
func isHeartbeat(value []byte) bool {
	return bytes.Contains(value, []byte(`"response.created"`)) || bytes.Contains(value, []byte(`"response.in_progress"`)) ||
		bytes.Contains(value, []byte(`"response.queued"`)) || bytes.Contains(value, []byte(`"keepalive"`)) ||
		len(value) < 64 && bytes.Contains(value, []byte(`"ping"`))
}

// emit gives one JSON value out as one line.
func (r *eventReader) emit(value []byte) error {
	r.events++
	if !isHeartbeat(value) {
		r.life.event()
	}
	isError := r.event == "error"
	r.event = ""
	if isError {
		value = asError(value)
	}
	value = bytes.TrimSpace(value)
	if !utf8.Valid(value) { // here, once: state that goes back is kept as bytes
		value = bytes.Map(func(r rune) rune { return r }, value) // each bad byte becomes U+FFFD
	}
	r.out = append(r.out, "data: "...)
	if rest, ok := bytes.CutPrefix(value, []byte(`{"error":`)); ok {
		// go-openai holds such a line back and may lose it: the error must not
		// be the first member.
		r.out = append(r.out, `{"":0,"error":`...)
		value = rest
	}
	r.out = append(r.out, value...)
	r.out = append(r.out, '\n')
	return nil
}

// asError makes an object with a member "error" of what a provider calls an
// error.
func asError(value []byte) []byte {
	var members map[string]json.RawMessage
	switch {
	case json.Unmarshal(value, &members) == nil && isFault(members["error"]):
		return value
	case json.Valid(value) && isFault(value):
	case len(bytes.TrimSpace(value)) == 0:
		value = []byte(`"the provider reported an error without a text"`)
	default:
		value, _ = json.Marshal(string(value)) // a string always encodes
	}
	return append(append([]byte(`{"error":`), value...), '}')
}

// strayLine is a line that is no field of an event: JSON without framing, or
// the first line of a body that is no stream.
func (r *eventReader) strayLine(line []byte) error {
	if len(r.stray) == 0 && (line[0] == '{' || line[0] == '[') && json.Valid(line) {
		return r.emitBody(line)
	}
	if len(r.stray)+len(line) > maxBody {
		return &errUnreadable{what: "the answer is not a stream and larger than 16 MiB"}
	}
	r.stray = append(append(r.stray, line...), '\n')
	return nil
}

// strayBody judges collected stray lines at the end of the body.
func (r *eventReader) strayBody() error {
	body := bytes.TrimSpace(r.stray)
	r.stray = nil
	if len(body) == 0 {
		return nil
	}
	if json.Valid(body) {
		return r.emitBody(body)
	}
	if r.events > 0 {
		return nil // unknown fields of a stream are ignored
	}
	return &errUnreadable{notAStream, messageIn(string(body[:min(len(body), maxErrorBody)]))}
}

// emitBody gives out a JSON body that came without framing. Gemini wraps
// errors in an array, others stream an array of chunks.
func (r *eventReader) emitBody(body []byte) error {
	var many []json.RawMessage
	if json.Unmarshal(body, &many) != nil {
		many = []json.RawMessage{body}
	}
	for _, one := range many {
		var line bytes.Buffer
		if err := json.Compact(&line, one); err != nil {
			return fmt.Errorf("compacting an answer: %w", err)
		}
		if err := r.emit(line.Bytes()); err != nil {
			return err
		}
	}
	r.body = true
	return nil
}
