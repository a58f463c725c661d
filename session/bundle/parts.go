package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// part is a blob or an artifact with what it holds now.
type part struct {
	head partHead
	data []byte
}

// take reads the blobs and artifacts that are named, those of the log's own first.
func (e *export) take() {
	room := int64(maxParts)
	load := func(kind, name, path string, size int64) []byte {
		switch {
		case size > maxPart:
			e.leave(LeftOut{kind, name, size, fmt.Sprintf("it is over %d MiB", maxPart>>20)})
			return nil
		case size > room:
			e.leave(LeftOut{kind, name, size, fmt.Sprintf("all of them are over %d MiB", maxParts>>20)})
			return nil
		}
		data, err := durable.ReadFile(path, maxPart)
		if err != nil {
			e.leave(LeftOut{kind, name, size, "it cannot be read"})
			return nil
		}
		room -= int64(len(data))
		return data
	}
	names := []string{}
	for name := range e.named {
		if len(name) == 64 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		path := filepath.Join(e.Dir, history.BlobFolder, name)
		info, err := os.Lstat(path)
		if err != nil {
			continue
		}
		if data := load("blob", name, path, info.Size()); data != nil {
			if data = e.hidden("blob", name, data); data == nil {
				continue
			}
			e.renamed[name] = hashOf(data)
			e.parts = append(e.parts, part{partHead{Blob: e.renamed[name], Bytes: len(data), Encoding: encodingOf(data)}, data})
		}
	}
	for _, a := range e.Artifacts {
		if !e.named[a.Ref.ArtifactID] {
			continue
		}
		if data := load("artifact", a.Ref.ArtifactID, a.Path, a.Ref.Bytes); data != nil {
			// Its folder is in the workspace: another file may be in its place.
			if hashOf(data) != a.Ref.SHA256 {
				e.leave(LeftOut{"artifact", a.Ref.ArtifactID, a.Ref.Bytes, "it was changed since it was written"})
				continue
			}
			if data = e.hidden("artifact", a.Ref.ArtifactID, data); data == nil {
				continue
			}
			head := partHead{Artifact: a.Ref.ArtifactID, MIMEType: a.Ref.MIMEType, Bytes: len(data), SHA256: hashOf(data), Encoding: encodingOf(data)}
			e.parts = append(e.parts, part{head, data})
			e.refs[a.Ref.ArtifactID] = tool.ArtifactRef{Bytes: int64(len(data)), Lines: lineCount(data), SHA256: head.SHA256}
		}
	}
}

// hidden is a part without what is private. Bytes that are no text cannot be
// redacted: they stay unless a secret that is known is in them.
func (e *export) hidden(kind, name string, data []byte) []byte {
	if e.redact == nil {
		return data
	}
	if utf8.Valid(data) {
		text := e.redact.text(string(data))
		if len(text) > maxPart { // what stands for a short name is longer
			e.leave(LeftOut{kind, name, int64(len(data)), fmt.Sprintf("it is over %d MiB", maxPart>>20)})
			return nil
		}
		return []byte(text)
	}
	for _, l := range e.redact.literals {
		if l.secret != "" && !l.word && bytes.Contains(data, []byte(l.text)) {
			e.leave(LeftOut{kind, name, int64(len(data)), "it is not text, and it contains a key"})
			return nil
		}
	}
	return data
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func encodingOf(data []byte) string {
	if utf8.Valid(data) {
		return "utf8"
	}
	return "base64"
}

// pieceEnd is where the next piece ends: behind a line where that is near, so that
// a change of one line changes one piece.
func pieceEnd(data []byte, encoding string) int {
	if len(data) <= maxPiece {
		return len(data)
	}
	n := maxPiece
	if encoding != "utf8" {
		return n
	}
	if i := bytes.LastIndexByte(data[:n], '\n'); i > n/2 {
		return i + 1
	}
	for !utf8.RuneStart(data[n]) {
		n--
	}
	return n
}

func lineCount(data []byte) int64 {
	n := int64(bytes.Count(data, []byte{'\n'}))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}
