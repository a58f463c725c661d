package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
)

// stream is the jsonrpc2.ObjectStream. What jsonrpc2 gets to see is an
// envelope: a number of ours as id, and neither params nor results. The bodies
// go past it, because it would decode them three times, sort their keys and
// answer ids other than small numbers and strings wrongly. It matches our calls
// with their responses and calls the handler.
//
// A stream never fails on input. Whatever is wrong is answered here, and
// ReadObject returns the next good message.
type stream struct {
	frames incoming
	in     io.Reader
	out    *outbox
	calls  *calls
	client *clientCalls
	report func(what string, err error)

	start <-chan struct{} // ReadObject waits for it once
	base  context.Context // parent of every call's context
	// refuse answers what never became a call, behind the answers of ordered
	// handlers to what came before it. id nil is null.
	refuse func(id json.RawMessage, why *Error)
	// forget is told of a document whose notification was too large to be read, in
	// its turn: what it says is unknown from then on.
	forget   func(uri string)
	answered func(*clientCall) // told of each answer to a request of ours
	ended    func(error)       // input is over; returns when everything read is answered
	isOver   bool              // ended was called; used by the reader only

	// current and currentCall are the message behind the envelope that
	// ReadObject returned last. jsonrpc2 handles it on the same goroutine before
	// it reads on.
	current     message
	currentCall *Call
}

// ReadObject returns the envelope of the next good message.
func (s *stream) ReadObject(v any) error {
	envelope, ok := v.(json.Unmarshaler)
	if !ok {
		return fmt.Errorf("read into %T: not a message of jsonrpc2", v)
	}
	<-s.start
	for {
		s.out.waitRoom()
		body, err := s.frames.next()
		if uri := s.frames.skipped(); uri != "" {
			s.forget(uri)
		}
		switch {
		case err == nil:
		case s.frames.recoverable(err):
			s.refuse(nil, problem(CodeInvalidRequest, err.Error()))
			continue
		default:
			s.over(err)
			return io.EOF
		}
		msg := parseMessage(body)
		switch {
		case msg.problem != nil && msg.kind == isResponse:
			s.refuse(nil, msg.problem) // its id is one of ours
		case msg.problem != nil:
			s.refuse(msg.id, msg.problem)
		}
		s.current, s.currentCall = msg, nil
		switch msg.kind {
		case isRequest:
			c, ok := s.calls.add(s.base, s.out, msg)
			if !ok {
				s.refuse(msg.id, problem(CodeInvalidRequest, "a request with this id is being answered"))
				continue
			}
			s.currentCall = c
			return envelope.UnmarshalJSON(fmt.Appendf(nil, `{"id":%d,"method":"r"}`, c.id))
		case isNotification:
			return envelope.UnmarshalJSON([]byte(`{"method":"n"}`))
		case isResponse:
			if answers := s.client.settle(msg); answers != nil {
				s.answered(answers)
				return envelope.UnmarshalJSON(fmt.Appendf(nil, `{"id":%s,"result":null}`, msg.id))
			}
			s.report("response to no request", fmt.Errorf("id %s", CutText(string(msg.id), 100)))
		}
	}
}

// over ends the input once.
func (s *stream) over(err error) {
	if s.isOver {
		return
	}
	s.isOver = true
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, fs.ErrClosed) {
		err = nil
	}
	s.ended(err)
}

// WriteObject sends what jsonrpc2 made an envelope of: the response of a call,
// under the client's own id, or a request of ours. A second response to the same
// request is an error and is not sent.
func (s *stream) WriteObject(v any) error {
	encoded, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode an envelope: %w", err)
	}
	var envelope struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if err := json.Unmarshal(encoded, &envelope); err != nil {
		return fmt.Errorf("decode an envelope: %w", err)
	}
	if envelope.Method != "" {
		return s.client.write(envelope.ID, s.out)
	}
	id, err := strconv.ParseInt(string(envelope.ID), 10, 64)
	if err != nil {
		return fmt.Errorf("response to %s: not a request of the client", envelope.ID)
	}
	c := s.calls.take(id)
	if c == nil {
		return fmt.Errorf("response to request %d: already answered", id)
	}
	c.write()
	s.calls.finish(c)
	return nil
}

// Close ends the reading side, where it can be ended. The outbox has its own
// owner.
func (s *stream) Close() error {
	if c, ok := s.in.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
