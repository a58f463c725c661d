package model

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"io"
	"mime"
)

// amazonStream is the media type of the frames in which Bedrock sends events.
const amazonStream = "application/vnd.amazon.eventstream"

func isAmazonStream(contentType string) bool {
	kind, _, _ := mime.ParseMediaType(contentType)
	return kind == amazonStream
}

// framed reads frames of Amazon's event stream and gives the events in them out as
// server-sent events. A frame has its length and that of its headers, a checksum of the two,
// the headers, the payload and a checksum of all.
type framed struct {
	io.ReadCloser
	rest []byte
}

const (
	frameHead = 12 // two lengths and a checksum, in bytes
	frameFoot = 4  // a checksum
)

// Read implements io.Reader.
func (f *framed) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		event, err := f.next()
		if err != nil {
			return 0, err
		}
		f.rest = event
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// next is one frame as a server-sent event; nothing for a frame that has none.
func (f *framed) next() ([]byte, error) {
	head := make([]byte, frameHead)
	if _, err := io.ReadFull(f.ReadCloser, head); err != nil {
		return nil, err
	}
	size, headers := binary.BigEndian.Uint32(head), binary.BigEndian.Uint32(head[4:])
	if crc32.ChecksumIEEE(head[:8]) != binary.BigEndian.Uint32(head[8:]) || size > maxLine || size < frameHead+frameFoot || headers > size-frameHead-frameFoot {
		return nil, &errUnreadable{what: "a frame of the event stream is damaged"}
	}
	body := make([]byte, size-frameHead)
	if _, err := io.ReadFull(f.ReadCloser, body); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	end := len(body) - frameFoot
	if crc32.Update(crc32.ChecksumIEEE(head), crc32.IEEETable, body[:end]) != binary.BigEndian.Uint32(body[end:]) {
		return nil, &errUnreadable{what: "a frame of the event stream is damaged"}
	}
	var payload struct {
		Bytes string `json:"bytes"`
	}
	raw := bytes.ReplaceAll(body[headers:end], []byte{'\n'}, []byte{' '})
	if json.Unmarshal(raw, &payload) != nil || payload.Bytes == "" {
		return append(append([]byte("event: error\ndata: "), raw...), "\n\n"...), nil // an exception has words
	}
	event, err := base64.StdEncoding.DecodeString(payload.Bytes)
	if err != nil {
		return nil, &errUnreadable{what: "a frame of the event stream is damaged"}
	}
	return append(append([]byte("data: "), event...), "\n\n"...), nil
}
