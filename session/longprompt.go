package session

import (
	"fmt"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// fitted shows what a person said that is too long for the window cut, with where all of it
// is: the model gets the whole text if it fits. most is in tokens, 0 for no limit.
func (v *view) fitted(s *shown, it history.Item, most int64) history.Item {
	if blocks, cut := v.fitPrompt(s, it.Blocks, most); cut {
		it.Blocks = blocks
		it.Size = history.SizeOfBlocks(blocks).Framed(0)
	}
	return it
}

// fitPrompt is one message with at most so many tokens. How much of it is shown is
// decided once for a model: what is learned about its tokens later does not change
// the beginning of every request.
func (v *view) fitPrompt(s *shown, blocks []history.Block, most int64) (fitting []history.Block, cut bool) {
	if most == 0 {
		return blocks, false
	}
	name := s.as.model
	tokens := v.measure(name)
	size := history.SizeOfBlocks(blocks)
	size.Images = 0 // less text makes no picture smaller
	key := cutKey{name, size}
	bytes, decided := v.cuts[key]
	if !decided {
		if tokens(size) <= most {
			s.longest = max(s.longest, size.Bytes)
			return blocks, false
		}
		bytes = inSteps(bytesFor(most, tokens))
		v.cuts[key] = bytes
	}
	return v.cutPrompt(blocks, bytes), true
}

// cutKey tells long messages apart well enough: of the same size they are cut in
// the same way.
type cutKey struct {
	model string
	size  history.Size
}

// cutPrompt is a message of at most so many bytes: two thirds of them from its
// beginning, the others from its end. Its images stay.
func (v *view) cutPrompt(blocks []history.Block, most int) []history.Block {
	var out []history.Block
	for _, b := range history.ForModel(blocks) {
		if b.Type == "image" {
			out = append(out, b)
		}
	}
	whole := history.Seen(blocks, v.blobs.get)
	const note = 400 // bytes, for the line between the two
	counted := max(int(history.SizeOf(whole).Bytes), 1)
	head, tail := cutEnds(whole, max(most-note, note)*len(whole)/counted)
	where := "it could not be kept"
	if name, err := v.blobs.put([]byte(whole)); err == nil {
		where = "all of it is in " + filepath.Join(v.blobs.dir, history.BlobFolder, name)
	}
	text := fmt.Sprintf("%s\n[… %d bytes of this message are left out: it is longer than the window has room for; %s …]\n%s", head, len(whole)-len(head)-len(tail), where, tail)
	return append([]history.Block{{Type: "text", Text: text}}, out...)
}
