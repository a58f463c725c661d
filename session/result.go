package session

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// sink is what a running call may talk to.
type sink struct {
	session *Session
	run     *run
	call    Call
	begun   func() // a task's sub-agent has begun
}

// ToolOutput is live output of a call (protocol §5).
type ToolOutput struct {
	CallID string `json:"callId"`
	Stream string `json:"stream"`
	Text   string `json:"text"`
}

func (k *sink) CallID() string { return k.call.CallID }

func (k *sink) Output(stream, text string) {
	k.session.show(k.run.id, "tool.output", ToolOutput{k.call.CallID, stream, clean(text)})
}

func (k *sink) Spill(mime string) (tool.Spill, error) {
	return k.session.deps.Artifacts.Create(k.session.root().id, k.call.Tool, k.call.CallID, mime)
}

// truncate bounds what the model and the log get of a result; the whole text is
// in an artifact (control §6).
func (s *Session) truncate(r *run, j *step, result tool.Result) {
	c := s.deps.Config.Settings().Truncation
	lim := control.Limits{MaxLines: c.MaxLines, MaxBytes: c.MaxBytes}
	if j.call.Tool == taskName {
		lim.MaxBytes = min(lim.MaxBytes, maxReport)
	}
	out := control.Output{Tool: j.call.Tool, CallID: j.call.CallID, TaskAvailable: has(r.tools, taskName)}
	switch spilled := result.Spilled; {
	case spilled != nil:
		out.Head, out.Tail, out.Note = spilled.Head, spilled.Tail, spilled.Note
		out.Bytes, out.Chars, out.Lines = spilled.Bytes, spilled.Chars, spilled.Lines
		out.SHA256, out.Capped, out.FullPath = spilled.SHA256, spilled.Capped, spilled.FullPath
		j.result.Artifact = spilled.Artifact
	case control.Needs(j.result.Text, lim):
		sum := sha256.Sum256([]byte(j.result.Text))
		out.Text, out.SHA256 = j.result.Text, hex.EncodeToString(sum[:])
		out.Bytes, out.Chars = int64(len(j.result.Text)), int64(utf8.RuneCountInString(j.result.Text))
		out.Lines = int64(strings.Count(strings.TrimSuffix(j.result.Text, "\n"), "\n") + 1)
		ref, path, err := s.keep(j.call.Tool, j.call.CallID, j.result.Text)
		if err == nil {
			j.result.Artifact, out.FullPath = ref, path
		} else {
			s.deps.Log.Error().Err(err).Msg("artifact cannot be written")
		}
	default:
		return
	}
	if j.result.Artifact != nil {
		out.ArtifactPath = &j.result.Artifact.Path
	}
	j.whole = out.SHA256 + out.Note // the text itself names the artifact, which is another one each time
	j.result.Text, _ = control.Truncate(out, lim)
	j.result.Truncated = true
}

// maxReport is how much of a sub-agent's report its parent sees, in bytes; the
// whole is an artifact (control §9).
const maxReport = 8 << 10

func has(set tool.Set, name string) bool {
	_, ok := set.Lookup(name)
	return ok
}

// keep stores a text as an artifact of the session.
func (s *Session) keep(toolName, callID, text string) (*tool.ArtifactRef, string, error) {
	spill, err := s.deps.Artifacts.Create(s.root().id, toolName, callID, "text/plain")
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

// maxText is how much of the model's own words one event carries, in bytes
// (ruling 117).
const maxText = 128 << 10

// bound keeps a line of the log under its limit: what is longer is stored
// beside it.
func (s *Session) bound(a *AssistantMessage) {
	if len(a.Text) > maxText {
		if ref, _, err := s.keep("message", a.MessageID, a.Text); err == nil {
			a.Artifact = ref
		}
		a.Text = cutText(a.Text, maxText)
	}
	a.Reasoning = cutText(a.Reasoning, maxText/4)
	room := maxInline // of all calls together
	for i := range a.Calls {
		c := &a.Calls[i]
		if len(c.Input) > min(room, maxInline/4) {
			c.Input = s.stashInput(c.Input, 0)
		}
		c.Raw = cutText(c.Raw, maxText/8)
		room -= len(c.Input) + len(c.Raw)
	}
}

// maxInline is how much of a prompt or an input stands in a line, in bytes.
const maxInline = 64 << 10

// stashed is what stands in the log for a large input.
type stashed struct {
	Blob  string `json:"_blob"`
	Bytes int    `json:"bytes"`
}

// stashInput stores an input of more than most bytes beside the log and gives
// what stands for it.
func (s *Session) stashInput(input json.RawMessage, most int) json.RawMessage {
	if len(input) <= most || len(input) < 200 {
		return input
	}
	name, err := s.storeBlob(input)
	if err != nil {
		return input
	}
	out, err := marshal(stashed{name, len(input)})
	if err != nil {
		return input
	}
	return out
}

// unstash gives back an input that was stored beside the log.
func (s *Session) unstash(input json.RawMessage) (json.RawMessage, error) {
	blob, ok := stashedBlob(input)
	if !ok {
		return input, nil
	}
	return s.blob(blob)
}

// stashedBlob names the blob that stands for a large input.
func stashedBlob(input json.RawMessage) (string, bool) {
	var ref stashed
	if len(input) > 200 || json.Unmarshal(input, &ref) != nil || ref.Blob == "" {
		return "", false
	}
	return ref.Blob, true
}

// stash moves long texts and images of a prompt beside the log (ruling 43).
func (s *Session) stash(blocks []Block) ([]Block, error) {
	out := make([]Block, 0, len(blocks))
	room := maxInline // of all blocks together: they stand in one line
	for _, b := range blocks {
		b.Text = clean(b.Text)
		switch {
		case b.Type == "text" && len(b.Text) > room:
			name, err := s.storeBlob([]byte(b.Text))
			if err != nil {
				return nil, err
			}
			b = Block{Type: "artifact", ArtifactID: name}
		case b.Type == "image" && len(b.Data) > 0:
			data, err := imageData(b, nil)
			if err != nil {
				return nil, &InvalidError{"prompt", "an image block's data is not base64"}
			}
			name, err := s.storeBlob(data)
			if err != nil {
				return nil, err
			}
			b = Block{Type: "image", URI: name, MIMEType: b.MIMEType}
		case b.Type != "image" && len(b.URI)+len(b.ArtifactID) > 8<<10:
			return nil, &InvalidError{"prompt", "a block's address is over 8 KiB"}
		}
		room -= len(b.Text)
		out = append(out, b)
	}
	return out, nil
}

// storeBlob keeps bytes under their hash in the session's folder; they live as
// long as the session (ruling 63).
func (s *Session) storeBlob(data []byte) (string, error) {
	sum := sha256.Sum256(data)
	name := hex.EncodeToString(sum[:])
	dir := filepath.Join(s.root().dir, "blobs")
	if err := s.deps.Disk.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err == nil {
		return name, nil
	}
	return name, s.deps.Disk.WriteFile(path, data, 0o600)
}

// blob reads what storeBlob kept.
func (s *Session) blob(name string) ([]byte, error) {
	if len(name) != sha256.Size*2 || strings.Trim(name, "0123456789abcdef") != "" {
		return nil, fmt.Errorf("blob %q is not a name of ours", name)
	}
	return os.ReadFile(filepath.Join(s.root().dir, "blobs", name))
}

// keepImages stores the images of a result beside the log.
func (s *Session) keepImages(parts []tool.Part) []ImageRef {
	var refs []ImageRef
	for _, p := range parts {
		if name, err := s.storeBlob(p.Data); err == nil {
			refs = append(refs, ImageRef{p.MIME, name, int64(len(p.Data))})
		}
	}
	return refs
}

// cutText shortens text to max bytes at a rune.
func cutText(text string, max int) string {
	if len(text) <= max {
		return text
	}
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	return text[:max] + "…"
}
