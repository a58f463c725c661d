package history

import (
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/model"
)

// Size is how much text there is; it is counted once, when the item is made.
type Size struct {
	// Bytes are those of model.RawBytes: a third of them is the estimate in tokens,
	// before what is learned about a model. Images are not in it.
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
		s.Bytes += model.RawBytes(t)
		s.Chars += int64(utf8.RuneCountInString(t))
	}
	return s
}

// SizeOfBlocks is the size of a prompt; an image counts as one.
func SizeOfBlocks(blocks []Block) Size {
	s := SizeOf(textsOf(blocks)...)
	for _, b := range ForModel(blocks) {
		switch b.Type {
		case "image":
			s.Images++
		case "artifact":
			s = s.Plus(Size{Bytes: b.Bytes, Chars: b.Bytes})
		}
	}
	return s
}

// Texts are what a message says, for an exact count. What is beside the log is
// not in them: of a large input only its length is known, and of a large prompt
// nothing (Item.Attached).
func (i Item) Texts() []string {
	switch {
	case i.Answer != nil:
		texts := []string{i.Answer.Text}
		for _, c := range i.Answer.Calls {
			texts = append(texts, c.Tool, inlineArguments(c))
		}
		return texts
	case i.Result != nil:
		return []string{i.Result.Text}
	case i.steering:
		return append(textsOf(i.Blocks), steering)
	}
	return textsOf(i.Blocks)
}

// Attached names the blobs that a prompt brings with it.
func (i Item) Attached() []string {
	var blobs []string
	for _, b := range ForModel(i.Blocks) {
		if b.Type == "artifact" {
			blobs = append(blobs, b.ArtifactID)
		}
	}
	return blobs
}

func textsOf(blocks []Block) []string {
	var texts []string
	for _, b := range ForModel(blocks) {
		if b.Type != "image" && b.Text+b.URI != "" {
			texts = append(texts, b.Text+b.URI)
		}
	}
	return texts
}

// inlineArguments are those that are in the log.
func inlineArguments(c Call) string {
	if c.asWritten() {
		return c.Raw
	}
	if _, stashed := OffloadedBlob(c.Input); stashed {
		return ""
	}
	return string(c.Input)
}

// measured gives an item its size.
func (i Item) measured() Item {
	i.Size = SizeOf(i.Texts()...).Framed(0)
	switch {
	case i.Answer != nil:
		i.Size = SizeOf(i.Texts()...).Framed(len(i.Answer.Calls))
		for _, c := range i.Answer.Calls {
			n := stashedBytes(c)
			i.Size.Bytes, i.Size.Chars = i.Size.Bytes+n, i.Size.Chars+n
		}
	case i.Result != nil:
		i.Size.Images = int64(len(i.Result.Images))
	default: // and what only its length is known of
		i.Size = i.Size.Plus(SizeOfBlocks(i.Blocks).Minus(SizeOf(textsOf(i.Blocks)...)))
	}
	return i
}
