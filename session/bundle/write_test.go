package bundle

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// A redacted bundle holds nothing private and no provider state, says what it left
// out, is the same every time, and is read again with its blobs and artifacts.
func TestWriteRedacted(t *testing.T) {
	from := aSession(t)
	raw := written(t, from, hidden())
	for _, word := range []string{"my-own", "secret-key", "/srv/work", "shop-1a2b3c4d", "provider state", "thought_signature", "reasoning_details", "nobody names it", "ffffffff"} {
		if bytes.Contains(raw, []byte(word)) {
			t.Errorf("%q stands in the bundle", word)
		}
	}
	if again := written(t, from, hidden()); !bytes.Equal(raw, again) {
		t.Error("a second bundle of the same session differs")
	}
	b, err := Read(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if !b.Redacted || b.Session != "0007" || len(b.Logs) != 2 || len(b.Root().Lines) != 15 || len(b.Logs[1].Lines) != 4 {
		t.Errorf("header %+v, %d logs", b.Header, len(b.Logs))
	}
	if want := []LeftOut{{"artifact", gone, 140042, "it has expired"}}; !slices.Equal(b.LeftOut, want) {
		t.Errorf("left out: %v", b.LeftOut)
	}
	started := b.Root().Lines[2].Body.(history.RunStarted)
	if text := blobOf(b, started.Prompt[0].ArtifactID); strings.Count(text, "with «secret:key-1»\n") != 3000 {
		t.Errorf("the prompt's text is %.80q", text)
	}
	if got := blobOf(b, started.Prompt[1].URI); got != "\x89PNG\xff\x00" {
		t.Errorf("the image is %q", got)
	}
	if got := started.Prompt[2].Text; got != "Use «secret:key-1» in «vault»/a.go." {
		t.Errorf("the prompt is %q", got)
	}
	returned := b.Root().Lines[10].Body.(history.ToolReturned)
	i := slices.IndexFunc(b.Parts, func(p Part) bool { return p.Artifact == artifactID })
	if i < 0 || int64(len(b.Parts[i].Data)) != returned.Artifact.Bytes || returned.Artifact.Lines != 20002 || !bytes.HasPrefix(b.Parts[i].Data, []byte("at «vault»\n")) {
		t.Errorf("artifact %d of %+v", i, returned.Artifact)
	}
	unknown := b.Root().Lines[13].Body.(history.Unknown)
	if want := `{"seq":14,"time":"2026-11-20T13:44:11.000Z","runId":"r1","type":"session.dreamt","data":{"of":"«secret:key-1»","n":1.50}}`; string(unknown.Raw) != want {
		t.Errorf("an unknown event is %s", unknown.Raw)
	}
}

// As it is, every line of the log stands in it byte for byte, and it says so.
func TestWriteWhole(t *testing.T) {
	from := aSession(t)
	raw := written(t, from, nil)
	log, err := os.ReadFile(filepath.Join(from.Dir, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	whole := log[:bytes.LastIndexByte(log, '\n')+1]
	if !bytes.Contains(raw, whole) || !bytes.Contains(raw, []byte("NOT REDACTED")) || !bytes.Contains(raw, []byte("provider state")) {
		t.Errorf("%.600s", raw)
	}
	if _, err := Read(bytes.NewReader(raw)); err != nil {
		t.Error(err)
	}
}

// What is too large, and bytes with a key in them, are named instead of taken.
func TestWriteLeavesOut(t *testing.T) {
	from := aSession(t)
	for _, size := range []int{maxPart - 1, maxPart, maxPart + 1} {
		swap(t, &from.Artifacts[0], strings.Repeat("x", size))
		b, err := Read(bytes.NewReader(written(t, from, hidden())))
		if err != nil {
			t.Fatal(err)
		}
		left := slices.ContainsFunc(b.LeftOut, func(l LeftOut) bool { return l.Name == artifactID })
		if left != (size > maxPart) {
			t.Errorf("%d bytes: left out is %v", size, b.LeftOut)
		}
	}
	swap(t, &from.Artifacts[0], "\xff\xfe"+secret)
	raw := written(t, from, hidden())
	if bytes.Contains(raw, []byte("my-own")) || !bytes.Contains(raw, []byte("it is not text, and it contains a key")) {
		t.Error("bytes with a key in them")
	}
	// A bypass: a command can put another file in the place of an artifact.
	put(t, from.Artifacts[0].Path, "a private file")
	if raw := written(t, from, nil); bytes.Contains(raw, []byte("a private file")) || !bytes.Contains(raw, []byte("it was changed since it was written")) {
		t.Error("another file in the place of an artifact")
	}
}

// swap gives an artifact another text.
func swap(t *testing.T, a *Artifact, text string) {
	t.Helper()
	put(t, a.Path, text)
	a.Ref.Bytes, a.Ref.SHA256 = int64(len(text)), hashOf([]byte(text))
}

// A log that is broken in the middle is not passed on: the place is named.
func TestWriteBrokenLog(t *testing.T) {
	from := aSession(t)
	path := filepath.Join(from.Dir, "events.jsonl")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, strings.Replace(string(raw), `{"seq":3,`, `{"seq":3`, 1))
	for _, hide := range []*Private{nil, hidden()} {
		if err := Write(&bytes.Buffer{}, from, hide); err == nil || !strings.Contains(err.Error(), "events.jsonl: line 3: ") {
			t.Errorf("%v", err)
		}
	}
}

// blobOf is the blob with that name in a bundle, "" for none.
func blobOf(b *Bundle, name string) string {
	for _, p := range b.Parts {
		if p.Blob == name && name != "" {
			return string(p.Data)
		}
	}
	return ""
}
