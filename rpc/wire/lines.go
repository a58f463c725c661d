package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// incoming cuts what comes in into messages.
type incoming interface {
	// next returns the next body. After an error that is recoverable it can be called again; any
	// other one ends the input.
	next() ([]byte, error)
	recoverable(err error) bool
	// skipped is the document that the message which was skipped last is about, "" where it does
	// not say.
	skipped() string
}

func newIncoming(in io.Reader, lines bool) incoming {
	if lines {
		return &lineReader{in: bufio.NewReaderSize(in, 64<<10)}
	}
	return newFrameReader(in)
}

// errLineTooLong is what a line over the limit is answered with.
var errLineTooLong = errors.New("line over 16 MiB")

// lineReader has one body a line. Blank lines are skipped, and a carriage return at the end
// of a line is no part of it.
type lineReader struct{ in *bufio.Reader }

func (l *lineReader) next() ([]byte, error) {
	for {
		line, err := l.line()
		if err != nil {
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
	}
}

// line reads up to a line feed. What the end of the input has cut is nothing.
func (l *lineReader) line() ([]byte, error) {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		if len(line)+len(part) > MaxFrameBytes {
			return nil, l.drain(err)
		}
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// drain skips the rest of a line that is too long; err is that of its last part.
func (l *lineReader) drain(err error) error {
	for err == bufio.ErrBufferFull {
		_, err = l.in.ReadSlice('\n')
	}
	if err != nil {
		return err
	}
	return errLineTooLong
}

func (l *lineReader) recoverable(err error) bool { return err == errLineTooLong }

func (l *lineReader) skipped() string { return "" }
