package testclient

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"
)

// Record is one thing that went over the wire, in the order it did.
type Record struct {
	At   time.Time
	Sent bool // by us; else by the server
	// Frame is the JSON of one message; nil for raw bytes that we sent and for
	// garbage that the server wrote, which are in Raw.
	Frame json.RawMessage
	Raw   []byte
}

// Client is a client that does nothing by itself: it writes what it is
// told, reads messages strictly and remembers everything. Writing never blocks
// the caller, whatever the server does with its input.
type Client struct {
	mu      sync.Mutex // guards everything below
	wake    *sync.Cond // queue, closing, paused
	queue   [][]byte
	closing bool
	paused  bool
	records []Record
	fault   error
	changed chan struct{} // closed and replaced at every record and at the end
	nextID  int64

	in   io.WriteCloser
	form framing
	done chan struct{} // closed when the server's output has ended
}

// NewClient starts to read out. The two goroutines it starts end when out ends
// and when CloseInput was called or in fails.
func NewClient(in io.WriteCloser, out io.Reader) *Client { return newClient(in, out, frames) }

// NewLineClient is NewClient for a server that speaks one message a line.
func NewLineClient(in io.WriteCloser, out io.Reader) *Client { return newClient(in, out, lines) }

func newClient(in io.WriteCloser, out io.Reader, form framing) *Client {
	c := &Client{in: in, form: form, changed: make(chan struct{}), done: make(chan struct{})}
	c.wake = sync.NewCond(&c.mu)
	go c.writeLoop()
	go c.readLoop(out)
	return c
}

// Write sends exact bytes, whole or broken.
func (c *Client) Write(raw []byte) {
	c.enqueue(Record{At: time.Now(), Sent: true, Raw: raw}, raw)
}

// Send frames and sends one message.
func (c *Client) Send(msg json.RawMessage) {
	c.SendTogether(msg)
}

// SendTogether frames the messages and sends them in a single write.
func (c *Client) SendTogether(msgs ...json.RawMessage) {
	var all []byte
	for _, m := range msgs {
		all = append(all, c.form.write(m)...)
		c.record(Record{At: time.Now(), Sent: true, Frame: m})
	}
	c.enqueue(Record{}, all)
}

// CloseInput closes the server's stdin once everything queued was written.
func (c *Client) CloseInput() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closing = true
	c.wake.Broadcast()
}

// Pause stops reading: what the server writes stays in the pipe. At most one
// read that is already waiting is still taken.
func (c *Client) Pause() { c.setPaused(true) }

// Resume reads on.
func (c *Client) Resume() { c.setPaused(false) }

// Done is closed when the server's output has ended.
func (c *Client) Done() <-chan struct{} { return c.done }

// Records is everything so far.
func (c *Client) Records() []Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.records[:len(c.records):len(c.records)]
}

// Fault is the first thing on the server's output that was not a frame.
func (c *Client) Fault() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fault
}

// Changed is closed at the next record, or at the end of the output.
func (c *Client) Changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

// Await waits for the first message of the server, from record number from on,
// that fits, and gives it with the number after it. It fails when ctx ends or
// the output does.
func (c *Client) Await(ctx context.Context, from int, fits func(Message) bool) (Message, int, error) {
	for {
		changed := c.Changed()
		ended := false
		select {
		case <-c.done:
			ended = true
		default:
		}
		records := c.Records()
		for ; from < len(records); from++ {
			if records[from].Sent || records[from].Frame == nil {
				continue
			}
			if m, err := parseMessage(records[from].Frame); err == nil && fits(m) {
				return m, from + 1, nil
			}
		}
		if ended {
			return Message{}, from, errors.New("await: the server's output ended")
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Message{}, from, fmt.Errorf("await: %w", context.Cause(ctx))
		}
	}
}

// Call sends a request under a fresh number and waits for its response. An
// error response is an error that holds its JSON.
func (c *Client) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	c.mu.Lock()
	c.nextID++
	id := c.nextID
	from := len(c.records)
	c.mu.Unlock()
	msg, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", method, err)
	}
	c.Send(msg)
	want := strconv.FormatInt(id, 10)
	got, _, err := c.Await(ctx, from, func(m Message) bool { return m.Method == "" && string(m.ID) == want })
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", method, err)
	}
	if got.Error != nil {
		return nil, fmt.Errorf("call %s: %s", method, got.Error)
	}
	return got.Result, nil
}

// Message is one JSON-RPC message taken apart, its ids and values byte for byte.
type Message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// parseMessage keeps `"result": null` and `"id": null` apart from absent ones:
// an absent member is nil, a null one the text null.
func parseMessage(raw []byte) (Message, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return Message{}, err
	}
	m := Message{ID: members["id"], Params: members["params"], Result: members["result"], Error: members["error"]}
	if err := json.Unmarshal(raw, &struct {
		V *string `json:"jsonrpc"`
		M *string `json:"method"`
	}{&m.JSONRPC, &m.Method}); err != nil {
		return Message{}, err
	}
	return m, nil
}

func (c *Client) setPaused(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused = on
	c.wake.Broadcast()
}

// enqueue records r, unless it is empty, and queues raw for the writer.
func (c *Client) enqueue(r Record, raw []byte) {
	if r.Raw != nil {
		c.record(r)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue = append(c.queue, raw)
	c.wake.Broadcast()
}

func (c *Client) record(r Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.records = append(c.records, r)
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *Client) writeLoop() {
	defer c.in.Close()
	for {
		c.mu.Lock()
		for len(c.queue) == 0 && !c.closing {
			c.wake.Wait()
		}
		if len(c.queue) == 0 {
			c.mu.Unlock()
			return
		}
		next := c.queue[0]
		c.queue = c.queue[1:]
		c.mu.Unlock()
		if _, err := c.in.Write(next); err != nil {
			return // the server is gone; its output says the rest
		}
	}
}

func (c *Client) readLoop(out io.Reader) {
	defer c.end()
	r := bufio.NewReader(gated{c, out})
	for {
		body, seen, err := c.form.read(r)
		switch {
		case err == nil:
			c.record(Record{At: time.Now(), Frame: body})
		case len(seen) == 0 && ended(err):
			return
		default:
			c.garbage(r, seen, err)
			return
		}
	}
}

// errTorn is the fault of output that ends inside a frame: what kill -9 leaves.
var errTorn = errors.New("output ended")

// ended is true for how a pipe says that nothing comes any more: its other end
// was closed, or (when the server was killed) our own.
func ended(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, os.ErrClosed)
}

// garbage keeps the first bytes of what is not a frame and drains the rest, so
// that the server does not block on us.
func (c *Client) garbage(r io.Reader, seen []byte, cause error) {
	c.mu.Lock()
	c.fault = cause
	c.mu.Unlock()
	c.record(Record{At: time.Now(), Raw: seen})
	io.Copy(io.Discard, r)
}

func (c *Client) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.done)
	close(c.changed)
	c.changed = make(chan struct{})
}

// gated reads only while the client is not paused.
type gated struct {
	c   *Client
	out io.Reader
}

func (g gated) Read(b []byte) (int, error) {
	g.c.mu.Lock()
	for g.c.paused {
		g.c.wake.Wait()
	}
	g.c.mu.Unlock()
	return g.out.Read(b)
}
