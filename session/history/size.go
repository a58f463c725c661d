package history

import "unicode/utf8"

// Size is how much text there is; it is counted once, when the item is made.
type Size struct {
	Bytes, Chars int64
	Images       int64
}

// Plus is both together.
func (s Size) Plus(o Size) Size {
	return Size{s.Bytes + o.Bytes, s.Chars + o.Chars, s.Images + o.Images}
}

// Minus is what s has more than o; where that is less, it is negative.
func (s Size) Minus(o Size) Size {
	return Size{s.Bytes - o.Bytes, s.Chars - o.Chars, s.Images - o.Images}
}

// What a message and a call take beside their text where they are sent, in bytes:
// role, ids, names of members. Many short results are mostly that.
const (
	frameOfMessage = 40
	frameOfCall    = 80
)

// Framed is the size of a message of this text with so many calls.
func (s Size) Framed(calls int) Size {
	n := int64(frameOfMessage + calls*frameOfCall)
	return s.Plus(Size{Bytes: n, Chars: n})
}

// SizeOf is the size of texts.
func SizeOf(texts ...string) Size {
	var s Size
	for _, t := range texts {
		s.Bytes += int64(len(t))
		s.Chars += int64(utf8.RuneCountInString(t))
	}
	return s
}

// SizeOfBlocks is the size of a prompt; an image counts as one.
func SizeOfBlocks(blocks []Block) Size {
	var s Size
	for _, b := range blocks {
		switch b.Type {
		case "image":
			s.Images++
		case "artifact":
			s = s.Plus(Size{Bytes: b.Bytes, Chars: b.Bytes})
		default:
			s = s.Plus(SizeOf(b.Text, b.URI))
		}
	}
	return s
}
