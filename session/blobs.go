package session

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

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

// offloadInput stores an input of more than most bytes beside the log and gives
// what stands for it.
func (b blobs) offloadInput(input json.RawMessage, most int) json.RawMessage {
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

// reload gives back an input that was stored beside the log.
func (b blobs) reload(input json.RawMessage) (json.RawMessage, error) {
	blob, ok := history.OffloadedBlob(input)
	if !ok {
		return input, nil
	}
	return b.get(blob)
}

// keep stores a text as an artifact of a session.
func (p *Place) keep(session, toolName, callID, text string) (*tool.ArtifactRef, string, error) {
	spill, err := p.Artifacts.Create(session, toolName, callID, "text/plain")
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

// maxInline is how much of a prompt or an input is in a line, in bytes.
const maxInline = 64 << 10

// keepImages stores the images of a result beside the log, and says which it did
// not keep, and why.
func (b blobs) keepImages(parts []tool.Part) (refs []history.ImageRef, note string) {
	var notes []string
	for _, p := range parts {
		mime, err := model.CheckImage(p.Data)
		switch {
		case err != nil:
			notes = append(notes, notShown("", p.MIME, len(p.Data), err.Error()))
		case len(refs) == model.MaxImages:
			notes = append(notes, notShown("", mime, len(p.Data), fmt.Sprintf("of one result %d images are", model.MaxImages)))
		default:
			blob, err := b.put(p.Data)
			if err != nil {
				notes = append(notes, notShown("", mime, len(p.Data), "it cannot be stored"))
				continue
			}
			refs = append(refs, history.ImageRef{MIMEType: mime, Blob: blob, Bytes: int64(len(p.Data))})
		}
	}
	if most := 5; len(notes) > most {
		notes = append(notes[:most], fmt.Sprintf("(%d more are not shown)", len(notes)-most))
	}
	return refs, strings.Join(notes, "\n")
}

// notShown is the line that stands for what is not shown.
func notShown(name, mime string, bytes int, why string) string {
	words := []string{"attached"}
	for _, w := range []string{name, mime} {
		if w = strings.Join(strings.Fields(w), " "); w != "" {
			words = append(words, cutText(w, 200))
		}
	}
	return history.Clean(fmt.Sprintf("[%s, %s; it is not shown: %s]", strings.Join(words, ": "), model.SizeText(bytes), why))
}

func (b blobs) offloadOpaque(a *history.AssistantMessage) {
	if a.Opaque == nil {
		return
	}
	raw, err := history.Marshal(a.Opaque.Fields)
	if err != nil || len(raw) < 200 {
		return
	}
	if name, err := b.put(raw); err == nil {
		a.Opaque = history.StashedOpaque(a.Opaque.Provider, name)
	}
}

func (b blobs) offloadCalls(a *history.AssistantMessage) {
	for i := range a.Calls {
		c := &a.Calls[i]
		c.Input, c.Raw = b.offloadInput(c.Input, 0), cutText(c.Raw, 256)
	}
}
