package workspace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/workspace/textedit"
)

// errBinary is for files that are not text.
var errBinary = errors.New("is a binary file")

// document is the text of a file with what has to be put back when it is
// written: byte order mark, encoding and kind of line ends.
type document struct {
	text  string // without byte order mark; line ends as they are
	bom   bool
	utf8  bool             // valid UTF-8, or UTF-16 that was decoded
	order binary.ByteOrder // of UTF-16; nil for everything else
	eol   string           // "\r\n" where most lines end so, else "\n"
}

// decodeDoc reads the text of a file. Bytes that are not UTF-8 are kept as they
// are. The error is errBinary.
func decodeDoc(data []byte) (document, error) {
	doc := document{utf8: true}
	if order, bom := utf16Order(data); order != nil {
		doc.order, doc.bom = order, bom
		if bom {
			data = data[2:]
		}
		doc.text = decodeUTF16(data, order)
	} else {
		if isBinary(data) {
			return document{}, errBinary
		}
		data, doc.bom = bytes.CutPrefix(data, []byte("\xEF\xBB\xBF"))
		doc.text = string(data)
		doc.utf8 = utf8.ValidString(doc.text)
	}
	doc.eol = textedit.LineEnd(doc.text)
	return doc, nil
}

// encode gives the bytes of the file with text in place of what doc had.
func (doc document) encode(text string) []byte {
	if doc.order == nil {
		if doc.bom {
			return append([]byte("\xEF\xBB\xBF"), text...)
		}
		return []byte(text)
	}
	var out []byte
	put := func(u uint16) {
		out = append(out, 0, 0)
		doc.order.PutUint16(out[len(out)-2:], u)
	}
	if doc.bom {
		put(0xFEFF)
	}
	for _, u := range utf16.Encode([]rune(text)) {
		put(u)
	}
	return out
}

// sniffBytes is how much of a file decides whether it is text.
const sniffBytes = 8 << 10

// isBinary: a NUL in the first 8 KiB.
func isBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), sniffBytes)], 0) >= 0
}

// utf16Order recognises UTF-16 by its byte order mark, or by text whose every
// other byte is almost always zero. nil: not UTF-16.
func utf16Order(data []byte) (order binary.ByteOrder, bom bool) {
	switch {
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE, 0, 0}): // UTF-32
		return nil, false
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return binary.LittleEndian, true
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return binary.BigEndian, true
	}
	head := data[:min(len(data), sniffBytes)]
	if len(head) < 8 || len(data)%2 != 0 || bytes.IndexByte(head, 0) < 0 {
		return nil, false
	}
	var zeros [2]int
	for i, b := range head {
		if b == 0 {
			zeros[i%2]++
		}
	}
	half := len(head) / 2
	switch {
	case zeros[0] == 0 && zeros[1]*10 >= half*9:
		return binary.LittleEndian, false
	case zeros[1] == 0 && zeros[0]*10 >= half*9:
		return binary.BigEndian, false
	}
	return nil, false
}

func decodeUTF16(data []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return string(utf16.Decode(units))
}

// plainEnds makes lines that end with a carriage return alone end as others do,
// in data itself.
func plainEnds(data []byte) []byte {
	if lineEndByte(data) == '\r' {
		for i, c := range data {
			switch c {
			case '\r':
				data[i] = '\n'
			case '\n': // behind what lineEndByte has seen: no end of a line for read either
				data[i] = '\r'
			}
		}
	}
	return data
}

// bareText is text without what editors add or hide: a byte order mark, the
// kind of line ends, one line end at the very end.
func bareText(text string) string {
	text = strings.TrimPrefix(text, "\uFEFF")
	if strings.Contains(text, "\r") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return strings.TrimSuffix(text, "\n")
}

// lineEndByte is what lines end with, told by the first bytes of their text: a
// carriage return alone, as on old machines, or else '\n'.
func lineEndByte(head []byte) byte {
	head = head[:min(len(head), sniffBytes)]
	if bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(head, '\r') >= 0 {
		return '\r'
	}
	return '\n'
}
