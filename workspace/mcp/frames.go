package mcp

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	// frameBytes is the largest message of a server that is decoded in memory.
	// An image of 5 MB fits.
	frameBytes = 8 << 20
	// giantBytes is the largest message at all: it goes through a file.
	giantBytes = 128 << 20

	// In floodWindow a server may send so many messages, and so many bytes of
	// messages that nobody asked for.
	floodWindow = 10 * time.Second
	floodFrames = 10_000
	floodBytes  = 64 << 20

	// giantsKept is how many of them may wait for somebody to take them.
	giantsKept = 8

	// giantMember marks the result that stands for a message in a file.
	giantMember = "agent-sidecar/giant"
)

var (
	errFlood = errors.New("it sent more than anybody asked for and was stopped")
	errGiant = fmt.Errorf("it sent a message of more than %d MiB and was stopped", giantBytes>>20)
)

// frames is what a server writes, as the SDK may read it: JSON-RPC messages, one
// a line, none over frameBytes. What is no message is dropped, and so are
// notifications that nobody waits for; a larger answer is kept in a file, and
// one that points there takes its place. A server that floods ends the stream.
// It is read by one goroutine.
type frames struct {
	in     *bufio.Reader
	giants *giants
	noise  func(line []byte) // a line that is no message
	events bool              // an event stream: messages stand behind "data:"
	single bool              // a body that is one message, over any number of lines
	ended  func(error)       // told once why the stream ends; nil: nobody

	line, out []byte
	end       error
	window    time.Time
	count     int
	unasked   int64
}

func newFrames(r io.Reader, g *giants, noise func([]byte)) *frames {
	return &frames{in: bufio.NewReaderSize(r, 64<<10), giants: g, noise: noise}
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

// pass decides about a whole line.
func (f *frames) pass() {
	line := f.line
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
		if *m.Method == "notifications/tools/list_changed" {
			return askingMessage
		}
		return idleMessage
	case m.Method == nil && named && (len(m.Result) > 0 || len(m.Error) > 0 && m.Error[0] == '{'):
		return answerMessage
	}
	return noMessage
}

func validID(raw string) bool {
	if raw == "" || len(raw) > jsonScalarBytes {
		return false
	}
	var number int64
	var text string
	return json.Unmarshal([]byte(raw), &number) == nil && raw != "null" || raw[0] == '"' && json.Unmarshal([]byte(raw), &text) == nil
}

// large moves a message that is too large for memory into a file.
func (f *frames) large(part []byte, err error) {
	g, ferr := f.giants.create()
	id, asks := "", false
	walk := jsonWalk{
		scalar: func(path, value string) {
			if path == "id" {
				id = value
			}
		},
		text: func(path string, piece []byte, _ bool) {
			switch path {
			case "id":
				id += string(piece[:min(len(piece), jsonScalarBytes-min(len(id), jsonScalarBytes))])
			case "method":
				asks = true
			}
		},
	}
	write := func(p []byte) {
		g.size += int64(len(p))
		if ferr == nil {
			_, ferr = g.file.Write(p)
		}
		walk.write(p)
	}
	start := f.line
	if f.events {
		start = bytes.TrimPrefix(start, []byte("data:"))
	}
	write(start)
	for {
		write(part)
		if err == nil && !f.single {
			break
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			f.end = err
			break
		}
		if g.size > giantBytes {
			g.drop()
			f.end = errGiant
			return
		}
		part, err = f.in.ReadSlice('\n')
	}
	if asks || !validID(id) { // nobody asked for it: our own ids are numbers
		g.drop()
		f.counted(int(min(g.size, floodBytes)))
		return
	}
	f.counted(0)
	var stands string
	name := ""
	if ferr == nil {
		if name = f.giants.keep(g); name == "" {
			g.drop()
			f.end = errFlood
			return
		}
	}
	if ferr != nil {
		g.drop()
		stands = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"the answer has %d bytes and could not be kept"}}`, id, g.size)
	} else {
		stands = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"_meta":{%q:%q}}}`, id, giantMember, name)
	}
	if f.events {
		stands = "data: " + stands
	}
	f.out = []byte(stands + "\n")
}

// giants are the messages in files of one server. Nobody else can name one: a
// server that writes the mark itself points nowhere.
type giants struct {
	mu   sync.Mutex // guards kept
	kept map[string]*giant
}

type giant struct {
	file *os.File
	size int64
}

// create makes a file that has no name where the system allows it, so that
// nothing of it outlives us.
func (g *giants) create() (*giant, error) {
	file, err := os.CreateTemp("", "agent-sidecar-mcp-*")
	if err != nil {
		return &giant{}, err
	}
	_ = os.Remove(file.Name()) // drop tries again where an open file cannot be removed
	return &giant{file: file}, nil
}

// keep gives the message a name; "" where too many wait already: their server
// sends what nobody asked for.
func (g *giants) keep(m *giant) (name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.kept) == giantsKept {
		return ""
	}
	if g.kept == nil {
		g.kept = map[string]*giant{}
	}
	name = rand.Text()
	g.kept[name] = m
	return name
}

// take gives the message of that name away; nil when there is none.
func (g *giants) take(name string) *giant {
	g.mu.Lock()
	defer g.mu.Unlock()
	m := g.kept[name]
	delete(g.kept, name)
	return m
}

// drop lets go of every message that nobody took.
func (g *giants) drop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, m := range g.kept {
		m.drop()
	}
	g.kept = nil
}

func (m *giant) drop() {
	if m.file == nil {
		return
	}
	m.file.Close()
	if name := m.file.Name(); strings.Contains(name, "agent-sidecar-mcp-") {
		_ = os.Remove(name) // gone already where it had no name
	}
	m.file = nil
}
