package wire

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// Framed is the framing alone, for two programs of ours that trust each other's frames no
// further than their length: a jsonrpc2.ObjectStream over a pair of pipes. What a
// Conn does beyond that (order, the queue to a client) is not there. Any damaged or too long frame ends it.
type Framed struct {
	frames *frameReader
	in     io.Closer
	mu     sync.Mutex // guards out, so that frames stay whole
	out    io.WriteCloser
	heard  func() // called for each frame that came
}

// NewFramed reads from in and writes to out; Close closes both. heard is called
// for each frame that comes.
func NewFramed(in io.ReadCloser, out io.WriteCloser, heard func()) *Framed {
	return &Framed{frames: newFrameReader(in), in: in, out: out, heard: heard}
}

// ReadObject decodes the next frame into v.
func (f *Framed) ReadObject(v any) error {
	body, err := f.frames.next()
	if err != nil {
		return err
	}
	f.heard()
	return json.Unmarshal(body, v)
}

// WriteObject sends v as one frame.
func (f *Framed) WriteObject(v any) error {
	body, err := EncodeJSON(v)
	if err != nil {
		return err
	}
	if len(body) > MaxFrameBytes {
		return fmt.Errorf("a message of %d bytes: %w", len(body), errFrameTooLarge)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err = f.out.Write(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body))
	return err
}

// Close ends both directions.
func (f *Framed) Close() error {
	err := f.out.Close()
	if inErr := f.in.Close(); err == nil {
		err = inErr
	}
	return err
}
