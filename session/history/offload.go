package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/model"
)

// stashed is what is in the log for a large input.
type stashed struct {
	Blob  string `json:"_blob"`
	Bytes int    `json:"bytes"`
}

// IsBlobName says whether a name is that of something beside the log: the hash of
// its bytes, and so never a path.
func IsBlobName(name string) bool {
	return len(name) == sha256.Size*2 && strings.Trim(name, "0123456789abcdef") == ""
}

// mostBlob is more than anything that we put beside a log has, in bytes.
const mostBlob = 64 << 20

// ReadBlob reads what is beside the log in the folder of a session. What is damaged
// is an error: it is not what the log names.
func ReadBlob(dir, name string) ([]byte, error) {
	if !IsBlobName(name) {
		return nil, fmt.Errorf("blob %q is not a name of ours", name)
	}
	data, err := durable.ReadFile(filepath.Join(dir, BlobFolder, name), mostBlob)
	if sum := sha256.Sum256(data); err == nil && hex.EncodeToString(sum[:]) != name {
		return nil, fmt.Errorf("read %s: it is damaged", name)
	}
	return data, err
}

// OffloadedBlob names the blob that stands for a large input.
func OffloadedBlob(input json.RawMessage) (string, bool) {
	ref, ok := stashedInput(input)
	return ref.Blob, ok
}

// stashedInput reads what StashedInput wrote. It is asked about every call of every
// log that is opened, so most are told by how they begin.
func stashedInput(input json.RawMessage) (ref stashed, ok bool) {
	if len(input) > 200 || !bytes.HasPrefix(input, []byte(`{"_blob":`)) {
		return stashed{}, false
	}
	return ref, json.Unmarshal(input, &ref) == nil && ref.Blob != ""
}

// stashedBytes is the length of arguments that are beside the log, 0 for those in it.
func stashedBytes(c Call) int64 {
	if c.asWritten() {
		return 0
	}
	ref, _ := stashedInput(c.Input)
	return int64(ref.Bytes)
}

// StashedInput is what is in the log for an input of so many bytes.
func StashedInput(blob string, bytes int) (json.RawMessage, error) {
	return Marshal(stashed{blob, bytes})
}

// opaqueBlob is the field that stands for a provider's state that is beside
// the log.
const opaqueBlob = "_blob"

// StashedOpaque is what is in the log for a provider's state.
func StashedOpaque(provider, blob string) *model.Opaque {
	return &model.Opaque{Provider: provider, Fields: map[string]json.RawMessage{opaqueBlob: json.RawMessage(`"` + blob + `"`)}}
}

// wholeOpaque gives a provider back what it wants back.
func wholeOpaque(o *model.Opaque, load func(string) ([]byte, error)) *model.Opaque {
	if o == nil || o.Fields[opaqueBlob] == nil {
		return o
	}
	whole := &model.Opaque{Provider: o.Provider, Fields: maps.Clone(o.Fields)}
	delete(whole.Fields, opaqueBlob)
	var name string
	if json.Unmarshal(o.Fields[opaqueBlob], &name) != nil {
		return whole
	}
	raw, err := load(name)
	if err != nil || json.Unmarshal(raw, &whole.Fields) != nil {
		return &model.Opaque{Provider: o.Provider} // it is lost; the text is not
	}
	return whole
}
