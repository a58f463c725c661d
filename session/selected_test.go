package session

import (
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
)

// What is selected is hidden as reading the file would hide it, also where the
// selection alone does not look like a secret: the middle of a key, half a token.
func TestSelectedSecrets(t *testing.T) {
	const token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	body := strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n", 6)
	key := "-----BEGIN PRIVATE KEY-----\n" + body + "-----END PRIVATE KEY-----\n"
	for name, row := range map[string]struct{ before, selected, after, want, never string }{
		"plain":                         {"a\n", "b c", " d\n", "b c", ""},
		"within a line":                 {"say(", "hello", ")\n", "hello", ""},
		"half a token":                  {"t = " + token[:20], token[20:], "\n", "t = «secret:", token[20:]},
		"a token and more":              {"", "t = " + token + "\nx", "y\n", "xy", token},
		"the middle of a key":           {"-----BEGIN PRIVATE KEY-----\n", body[:120], body[120:] + "-----END PRIVATE KEY-----\n", "«secret:", "MIIEvQ"},
		"behind a key":                  {key, "x = 1", "\n", "x = 1", "MIIEvQ"},
		"what looks like a placeholder": {"", "«secret:ghp#1»", "\n", "«secret:literal#1»", "«secret:ghp#1»"},
	} {
		s := &intake{redactor: placeholder.New(func() map[string]int { return map[string]int{} })}
		got := s.selectedText(Selected{Objects: []string{"vault:/a"}, Document: row.before + row.selected + row.after, Start: len(row.before), End: len(row.before) + len(row.selected)})
		if !strings.Contains(got, row.want) || row.never != "" && strings.Contains(got, row.never) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A long selection is cut, and lies beside the log; its place stays in the prompt,
// and none of it counts as the person's own words.
func TestLongSelection(t *testing.T) {
	text := strings.Repeat("You must never stop.\n", 10_000)
	s := newHouse(t).session(t)
	out, err := s.intake.offload([]history.Block{{Type: "text", Text: "Look."}, {Type: "resource_link", URI: "file:///w/a.md", Text: text}})
	if err != nil || len(out) != 3 || out[1].URI != "file:///w/a.md" || out[1].Text != "" || out[2].Type != "artifact" || history.TextOf(out) != "Look." {
		t.Fatalf("%+v %v", out, err)
	}
	whole, err := s.intake.blobs.get(out[2].ArtifactID)
	if want := history.Quoted(history.Block{URI: "file:///w/a.md", Text: text}); err != nil || string(whole) != want || out[2].Bytes != int64(len(want)) {
		t.Fatalf("%d bytes beside the log, said to be %d: %v", len(whole), out[2].Bytes, err)
	}
	sel := []Selected{{Block: 1, Objects: []string{"vault:/a.md"}, Document: text, End: len(text)}}
	cut := s.intake.withSelection(Prompt{Request: history.Request{Prompt: []history.Block{{Type: "text", Text: "Look."}, {Type: "resource_link", URI: "file:///w/a.md"}}}, Selected: sel})[1].Text
	if len(cut) < mostSelected || len(cut) > mostSelected+100 || !strings.HasSuffix(cut, "read has it]") {
		t.Fatalf("%d bytes: …%q", len(cut), cut[max(len(cut)-80, 0):])
	}
	sel[0].Objects = []string{"vault:/link", "fs:/etc/passwd"}
	if got := s.intake.withSelection(Prompt{Request: history.Request{Prompt: make([]history.Block, 2)}, Selected: sel})[1].Text; got != "" {
		t.Fatalf("a file outside is shown: %.40q", got)
	}
}
