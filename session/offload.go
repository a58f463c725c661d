package session

import (
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
)

// intake makes of what a person sends what a log can keep.
type intake struct {
	deps      *Deps
	redactor  *placeholder.Redactor
	blobs     blobs
	authority *authority
	about     *describer
}

// offload moves long texts and images of a prompt beside the log.
func (n *intake) offload(blocks []history.Block) ([]history.Block, error) {
	blocks = hiddenBlocks(n.redactor, blocks)
	out := make([]history.Block, 0, len(blocks))
	images := 0
	for _, b := range blocks {
		if b.Type == "image" {
			images++
		}
	}
	if images > model.MaxImages { // before the first of them is stored
		return nil, &UnfitError{"prompt", fmt.Sprintf("at most %d images fit into one prompt", model.MaxImages)}
	}
	room := maxInline // of all blocks together: they are in one line
	for _, b := range blocks {
		if b.Text = history.Clean(b.Text); b.Type != "image" {
			b.Data = ""
		}
		ignored, untrusted := b.Ignored, b.Untrusted
		switch {
		case b.Type == "text" && encodedSize(b.Text) > room:
			name, err := n.blobs.put([]byte(b.Text))
			if err != nil {
				return nil, err
			}
			b = history.Block{Type: "artifact", ArtifactID: name, Bytes: int64(len(b.Text))}
		case b.Type == "artifact" && len(b.ArtifactID) <= 8<<10:
			b.Bytes = 0 // where there is none
			if data, err := n.blobs.get(b.ArtifactID); err == nil {
				b.Bytes = int64(len(data))
			}
		case b.Type == "image":
			var err error
			if b, err = n.offloadImage(b); err != nil {
				return nil, err
			}
		case len(b.URI)+len(b.ArtifactID) > 8<<10:
			return nil, &InvalidError{"prompt", "a block's address is over 8 KiB"}
		case b.Type == "resource_link" && encodedSize(b.Text) > maxInline/4:
			quoted := history.Quoted(b)
			name, err := n.blobs.put([]byte(quoted))
			if err != nil {
				return nil, err
			}
			out = append(out, history.Block{Type: b.Type, URI: b.URI, Range: b.Range, Ignored: ignored, Untrusted: untrusted})
			b = history.Block{Type: "artifact", ArtifactID: name, Bytes: int64(len(quoted))}
		}
		b.Ignored, b.Untrusted = ignored, untrusted
		room -= encodedSize(b.Text)
		out = append(out, b)
	}
	if line, err := history.Marshal(out); err != nil || len(line) > maxBlocks {
		return nil, &InvalidError{"prompt", fmt.Sprintf("has so many blocks, or such long addresses in them, that they are over %d KiB without their texts", maxBlocks>>10)}
	}
	return out, nil
}

// maxBlocks is what a prompt may take in its line of the log, whose other half is
// for all else, in bytes.
const maxBlocks = durable.MaxLine / 2
