package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
)

const (
	// frameBytes is the largest message of a server. An image of 5 MB fits.
	frameBytes = 8 << 20
	// skippedBytes is how much of a larger one is skipped before its server is
	// stopped.
	skippedBytes = 128 << 20
	// endBytes is how much of the beginning and of the end of a larger one is looked
	// at for the id of the call that it answers.
	endBytes = 256
	// idBytes is the longest id.
	idBytes = 128

	// In floodWindow a server may send so many messages, and so many bytes of
	// messages that nobody asked for.
	floodWindow = 10 * time.Second
	floodFrames = 10_000
	floodBytes  = 64 << 20
)

var (
	errFlood = errors.New("it sent more than anybody asked for and was stopped")
	errGiant = fmt.Errorf("it sent a message of more than %d MiB and was stopped", skippedBytes>>20)
)

// frames is what a server writes, as the SDK may read it: JSON-RPC messages, one
// a line, none over frameBytes. What is no message is dropped, and so are
// notifications that nobody waits for; in place of a larger answer there is an
// error that says so. A server that floods ends the stream.
// It is read by one goroutine.
type frames struct {
	in     *bufio.Reader
	noise  func(line []byte) // a line that is no message
	events bool              // an event stream: messages are behind "data:"
	single bool              // a body that is one message, over any number of lines
	ended  func(error)       // told once why the stream ends; nil: nobody
	hidden string            // the token of the request: no answer that repeats it goes further

	line, out []byte
	end       error
	window    time.Time
	count     int
	unasked   int64
}

func newFrames(r io.Reader, noise func([]byte)) *frames {
	return &frames{in: bufio.NewReaderSize(r, 64<<10), noise: noise}
}

// Read gives the next bytes of the next message that may pass.
func (f *frames) Read(p []byte) (int, error) {
	for len(f.out) == 0 {
		if f.end != nil {
			if f.ended != nil {
				f.ended(f.end)
				f.ended = nil
			}
			return 0, f.end
		}
		f.next()
	}
	n := copy(p, f.out)
	f.out = f.out[n:]
	return n, nil
}

// next reads one line, or one body, and leaves in out what of it may pass.
func (f *frames) next() {
	if cap(f.line) > 1<<20 {
		f.line = nil // one large message should not cost memory for ever
	}
	f.line = f.line[:0]
	for {
		part, err := f.in.ReadSlice('\n')
		if len(f.line)+len(part) > frameBytes {
			f.large(part, err)
			return
		}
		f.line = append(f.line, part...)
		if err == nil && !f.single {
			break
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			f.end = err
			break
		}
	}
	f.pass()
}

// placeholder is in the place of a token.
const placeholder = "«secret:token»"

// shortest is how long a token is at least, in bytes, for it to be looked for.
const shortest = 8

// pass decides about a whole line.
func (f *frames) pass() {
	line := f.line
	if len(f.hidden) >= shortest {
		line = bytes.ReplaceAll(line, []byte(f.hidden), []byte(placeholder))
	}
	if len(bytes.TrimSpace(line)) == 0 {
		if f.events {
			f.out = line // ends an event
		}
		return
	}
	message := line
	if f.events {
		data, is := bytes.CutPrefix(line, []byte("data:"))
		if !is {
			f.out = line
			f.counted(0)
			return
		}
		message = data
	}
	kind := kindOfMessage(message)
	switch kind {
	case answerMessage:
		f.counted(0)
	default:
		f.counted(len(line))
	}
	switch {
	case f.end != nil && !errors.Is(f.end, io.EOF):
	case kind == noMessage && !f.single:
		if f.noise != nil {
			f.noise(line)
		}
	case kind == idleMessage:
	default:
		f.out = line
		if f.out[len(f.out)-1] != '\n' {
			f.out = append(f.out, '\n')
		}
	}
}

// counted ends the stream of a server that floods.
func (f *frames) counted(unasked int) {
	if now := time.Now(); now.Sub(f.window) > floodWindow {
		f.window, f.count, f.unasked = now, 0, 0
	}
	f.count++
	f.unasked += int64(unasked)
	if f.count > floodFrames || f.unasked > floodBytes {
		f.end = errFlood
	}
}

type messageKind int

const (
	noMessage     messageKind = iota
	idleMessage               // a notification that nobody waits for
	askingMessage             // a request of the server, or a notification we follow
	answerMessage
)

// mayAsk is what a server may say and ask unasked.
var mayAsk = map[string]bool{
	"ping": true, "roots/list": true, "elicitation/create": true,
	"notifications/tools/list_changed": true, "notifications/prompts/list_changed": true, "notifications/resources/list_changed": true,
	"notifications/elicitation/complete": true,
	"notifications/progress":             true, "notifications/cancelled": true, "notifications/subscriptions/acknowledged": true,
}

// kindOfMessage looks at a message as far as the SDK will, which ends the
// connection over what is none.
func kindOfMessage(line []byte) messageKind {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return noMessage
	}
	var m struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  *string         `json:"method"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	if json.Unmarshal(line, &m) != nil || m.JSONRPC != "2.0" {
		return noMessage
	}
	named := validID(string(m.ID))
	switch {
	case m.Method != nil && named:
		return askingMessage
	case m.Method != nil && len(m.ID) == 0:
		if mayAsk[*m.Method] {
			return askingMessage
		}
		return idleMessage
	case m.Method == nil && named && (len(m.Result) > 0 || len(m.Error) > 0 && m.Error[0] == '{'):
		return answerMessage
	}
	return noMessage
}

func validID(raw string) bool {
	if raw == "" || len(raw) > idBytes {
		return false
	}
	var number int64
	var text string
	return json.Unmarshal([]byte(raw), &number) == nil && raw != "null" || raw[0] == '"' && json.Unmarshal([]byte(raw), &text) == nil
}

// The id of an answer is its first or its last member, but for the version: so
// every SDK writes it.
var (
	firstID = lazy.Regexp(`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)\s*,`)
	lastID  = lazy.Regexp(`,\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
)

// large skips the rest of a message that is too large. Where the id of a call is
// found in it, that call is answered with an error.
func (f *frames) large(part []byte, err error) {
	start := f.line
	if f.events {
		start = bytes.TrimPrefix(start, []byte("data:"))
	}
	head := bytes.Clone(start[:min(len(start), endBytes)])
	tail := output.LastPart(f.line, endBytes)
	size := len(f.line)
	for {
		size += len(part)
		tail = append(bytes.Clone(output.LastPart(tail, endBytes)), output.LastPart(part, endBytes)...)
		if err == nil && !f.single {
			break
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			f.end = err
			break
		}
		if size > skippedBytes {
			f.end = errGiant
			return
		}
		part, err = f.in.ReadSlice('\n')
	}
	id := firstID().FindSubmatch(head)
	if id == nil {
		id = lastID().FindSubmatch(output.LastPart(tail, endBytes))
	}
	if id == nil { // nobody asked for it: our own ids are numbers
		f.counted(min(size, floodBytes))
		return
	}
	f.counted(0)
	answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"the answer has %d bytes; at most %d MiB are taken"}}`, id[1], size, frameBytes>>20)
	if f.events {
		answer = "data: " + answer
	}
	f.out = []byte(answer + "\n")
}
