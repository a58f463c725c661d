package session

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// maxInline is how much of a prompt or an input stands in a line, in bytes.
const maxInline = 64 << 10

// stashInput stores an input of more than most bytes beside the log and gives
// what stands for it.
func (b blobs) stashInput(input json.RawMessage, most int) json.RawMessage {
	if len(input) <= most || len(input) < 200 {
		return input
	}
	name, err := b.put(input)
	if err != nil {
		return input
	}
	out, err := history.StashedInput(name, len(input))
	if err != nil {
		return input
	}
	return out
}

// unstash gives back an input that was stored beside the log.
func (b blobs) unstash(input json.RawMessage) (json.RawMessage, error) {
	blob, ok := history.StashedBlob(input)
	if !ok {
		return input, nil
	}
	return b.get(blob)
}

// stash moves long texts and images of a prompt beside the log.
func (s *Session) stash(blocks []history.Block) ([]history.Block, error) {
	blocks = hiddenBlocks(s.book, blocks)
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
	room := maxInline // of all blocks together: they stand in one line
	for _, b := range blocks {
		if b.Text = history.Clean(b.Text); b.Type != "image" {
			b.Data = ""
		}
		ignored := b.Ignored
		switch {
		case b.Type == "text" && encodedSize(b.Text) > room:
			name, err := s.blobs.put([]byte(b.Text))
			if err != nil {
				return nil, err
			}
			b = history.Block{Type: "artifact", ArtifactID: name, Bytes: int64(len(b.Text))}
		case b.Type == "artifact" && len(b.ArtifactID) <= 8<<10:
			b.Bytes = 0 // where there is none
			if data, err := s.blobs.get(b.ArtifactID); err == nil {
				b.Bytes = int64(len(data))
			}
		case b.Type == "image":
			var err error
			if b, err = s.stashImage(b); err != nil {
				return nil, err
			}
		case len(b.URI)+len(b.ArtifactID) > 8<<10:
			return nil, &InvalidError{"prompt", "a block's address is over 8 KiB"}
		case b.Type == "resource_link" && encodedSize(b.Text) > maxInline/4:
			name, err := s.blobs.put([]byte(history.Quoted(b.Text)))
			if err != nil {
				return nil, err
			}
			out = append(out, history.Block{Type: b.Type, URI: b.URI, Range: b.Range, Ignored: ignored})
			b = history.Block{Type: "artifact", ArtifactID: name, Bytes: int64(len(history.Quoted(b.Text)))}
		}
		b.Ignored = ignored
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

// blobs are bytes too long for the log, beside that of the root. They live as long as the
// session.
type blobs struct {
	disk *durable.Disk
	dir  string // of the root
}

// put keeps bytes under their hash, which is their name.
func (b blobs) put(data []byte) (string, error) {
	sum := sha256.Sum256(data)
	name := hex.EncodeToString(sum[:])
	dir := filepath.Join(b.dir, history.BlobFolder)
	if err := b.disk.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err == nil {
		return name, nil
	}
	return name, b.disk.WriteFile(path, data, 0o600)
}

func (b blobs) get(name string) ([]byte, error) { return history.ReadBlob(b.dir, name) }

// keep stores a text as an artifact of a session.
func (d *Deps) keep(session, toolName, callID, text string) (*tool.ArtifactRef, string, error) {
	spill, err := d.Artifacts.Create(session, toolName, callID, "text/plain")
	if err != nil {
		return nil, "", err
	}
	_, werr := spill.Write([]byte(text))
	ref, path, err := spill.Close()
	if werr != nil {
		err = werr
	}
	return &ref, path, err
}
