package testclient

import (
	"io"
	"os"
	"sync"
	"time"
)

// pipeSize is what a Linux pipe holds, in bytes: a writer blocks once that much
// is unread, which is how "a client that stops reading" looks from inside.
const pipeSize = 64 << 10

// NewPipe is an in-memory pipe that holds 64 KiB. Its ends block on a condition
// variable, so they count as durably blocked inside a synctest bubble. Closing
// the write end gives the reader io.EOF after the last byte; closing the read
// end gives the writer io.ErrClosedPipe.
func NewPipe() (io.ReadCloser, io.WriteCloser) {
	p := newHalf(pipeSize)
	return pipeReader{p}, pipeWriter{p}
}

type pipeReader struct{ *half }

func (r pipeReader) Read(b []byte) (int, error) { return r.read(b) }
func (r pipeReader) Close() error               { r.closeRead(); return nil }

type pipeWriter struct{ *half }

func (w pipeWriter) Write(b []byte) (int, error) { return w.write(b) }
func (w pipeWriter) Close() error                { w.closeWrite(); return nil }

// half is one direction of bytes with a bounded buffer.
type half struct {
	mu   sync.Mutex // guards everything below
	wake *sync.Cond
	buf  []byte
	max  int

	readClosed, writeClosed bool
	readBy, writeBy         deadline
}

func newHalf(size int) *half {
	h := &half{max: size}
	h.wake = sync.NewCond(&h.mu)
	return h
}

func (h *half) read(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		switch {
		case h.readClosed:
			return 0, io.ErrClosedPipe
		case h.readBy.passed:
			return 0, os.ErrDeadlineExceeded
		case len(h.buf) > 0:
			n := copy(b, h.buf)
			h.buf = h.buf[n:]
			h.wake.Broadcast()
			return n, nil
		case h.writeClosed:
			return 0, io.EOF
		}
		h.wake.Wait()
	}
}

func (h *half) write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	done := 0
	for {
		switch {
		case h.readClosed || h.writeClosed:
			return done, io.ErrClosedPipe
		case h.writeBy.passed:
			return done, os.ErrDeadlineExceeded
		case done == len(b):
			return done, nil
		case len(h.buf) < h.max:
			n := min(len(b)-done, h.max-len(h.buf))
			h.buf = append(h.buf, b[done:done+n]...)
			done += n
			h.wake.Broadcast()
			continue
		}
		h.wake.Wait()
	}
}

func (h *half) closeRead() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.readClosed = true
	h.wake.Broadcast()
}

func (h *half) closeWrite() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.writeClosed = true
	h.wake.Broadcast()
}

func (h *half) setDeadline(d *deadline, at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	d.stop()
	d.passed = false
	if at.IsZero() {
		return
	}
	in := time.Until(at)
	if in <= 0 {
		d.passed = true
		h.wake.Broadcast()
		return
	}
	var own *time.Timer
	own = time.AfterFunc(in, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if d.timer == own {
			d.passed = true
			h.wake.Broadcast()
		}
	})
	d.timer = own
}

// deadline is guarded by its half's lock.
type deadline struct {
	timer  *time.Timer
	passed bool
}

func (d *deadline) stop() {
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}
