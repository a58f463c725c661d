package testclient

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// framing is how messages follow each other.
type framing struct {
	write func(body []byte) []byte
	// read is strict. With an error it gives the bytes that were read.
	read func(*bufio.Reader) (body, seen []byte, err error)
}

var (
	frames = framing{frame, readFrame} // the base of LSP
	lines  = framing{func(body []byte) []byte { return append(body[:len(body):len(body)], '\n') }, readLine}
)

// maxServerFrame is the largest frame the server may write, in bytes.
const maxServerFrame = 1 << 20

// maxServerLine is far more than anything that one message holds: two texts of a diff,
// an image.
const maxServerLine = 16 << 20

func frame(body []byte) []byte {
	return append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...)
}

// readFrame takes the exact header the protocol page gives, CRLF, at most
// 1 MiB of UTF-8 that is one JSON object with jsonrpc 2.0.
func readFrame(r *bufio.Reader) (body, seen []byte, err error) {
	length := -1
	for {
		line, err := r.ReadBytes('\n')
		seen = append(seen, line...)
		if err != nil {
			if len(seen) > 0 {
				err = fmt.Errorf("%w inside a header: %q", errTorn, clip(seen))
			}
			return nil, seen, err
		}
		text, ok := strings.CutSuffix(string(line), "\r\n")
		if !ok {
			return nil, seen, fmt.Errorf("not a header line: %q", clip(seen))
		}
		if text == "" {
			break
		}
		name, value, _ := strings.Cut(text, ": ")
		switch name {
		case "Content-Type":
		case "Content-Length":
			if length, err = strconv.Atoi(value); err != nil || length < 0 || length > maxServerFrame {
				return nil, seen, fmt.Errorf("length of a frame: %q (at most %d)", text, maxServerFrame)
			}
		default:
			return nil, seen, fmt.Errorf("not a header line: %q", clip(seen))
		}
	}
	if length < 0 {
		return nil, seen, errors.New("frame without Content-Length")
	}
	body = make([]byte, length)
	n, err := io.ReadFull(r, body)
	seen = append(seen, body[:n]...)
	if err != nil {
		return nil, seen, fmt.Errorf("%w inside a frame of %d bytes after %d", errTorn, length, n)
	}
	if err := checkBody(body); err != nil {
		return nil, seen, fmt.Errorf("%w: %q", err, clip(body))
	}
	return body, nil, nil
}

func checkBody(body []byte) error {
	if !utf8.Valid(body) {
		return errors.New("frame is not UTF-8")
	}
	if !json.Valid(body) || !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return errors.New("frame is not one JSON object")
	}
	m, err := parseMessage(body)
	if err != nil || m.JSONRPC != "2.0" {
		return errors.New("frame is not JSON-RPC 2.0")
	}
	return nil
}

// readLine takes one JSON object with jsonrpc 2.0 and the line feed behind it.
func readLine(r *bufio.Reader) (body, seen []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		seen = append(seen, part...)
		if len(seen) > maxServerLine {
			return nil, seen, fmt.Errorf("a line of more than %d bytes: %q", maxServerLine, clip(seen))
		}
		if err == nil {
			break
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(seen) > 0 {
			err = fmt.Errorf("%w inside a line: %q", errTorn, clip(seen))
		}
		return nil, seen, err
	}
	body = seen[:len(seen)-1]
	if bytes.HasSuffix(body, []byte("\r")) {
		return nil, seen, fmt.Errorf("a line ends with CRLF: %q", clip(seen))
	}
	if err := checkBody(body); err != nil {
		return nil, seen, fmt.Errorf("%w: %q", err, clip(seen))
	}
	return body, nil, nil
}

func clip(b []byte) []byte { return b[:min(len(b), 400)] }
