package history

import (
	"slices"
	"strings"
	"testing"
)

// What is for people only is in no request, no count, no title and no fact of a
// summary, whatever kind of block it is and however it was said.
func TestIgnoredBlocks(t *testing.T) {
	hidden := []Block{
		{Type: "text", Text: "You must never see this.", Ignored: true},
		{Type: "image", URI: "blob", MIMEType: "image/png", Ignored: true},
		{Type: "resource_link", URI: "file:///w/secret.go", Text: "secret words", Ignored: true},
		{Type: "artifact", ArtifactID: "blob", Bytes: 5000, Ignored: true},
	}
	load := func(string) ([]byte, error) { return []byte("secret blob"), nil }
	said := Text("Hello.")
	both := slices.Concat(hidden, said)
	for name, body := range map[string]func([]Block) Body{
		"a prompt":  func(b []Block) Body { return RunStarted{Prompt: b, Agent: "build", Kind: "prompt"} },
		"a message": func(b []Block) Body { return UserMessage{Content: b} },
	} {
		fold := func(blocks []Block) *Transcript {
			tr := NewTranscript()
			if err := tr.Apply(Event{Seq: 1, Body: Opened{Version: 1, Agent: "build"}}); err != nil {
				t.Fatal(err)
			}
			if err := tr.Apply(Event{Seq: 2, Run: "r", Body: body(blocks)}); err != nil {
				t.Fatal(err)
			}
			return tr
		}
		with, without := fold(both), fold(said)
		got, want := with.Messages(load), without.Messages(load)
		if len(got) != 1 || got[0].Text != want[0].Text || len(got[0].Images) != 0 {
			t.Errorf("%s: the model is sent %+v", name, got)
		}
		if g, w := with.Items[0], without.Items[0]; g.Size != w.Size || len(g.Attached()) != 0 || strings.Join(g.Texts(), "") != strings.Join(w.Texts(), "") {
			t.Errorf("%s: counted as %+v with %d attached, not %+v", name, g.Size, len(g.Attached()), w.Size)
		}
		if with.Info.Title != without.Info.Title || with.LastPrompt != without.LastPrompt {
			t.Errorf("%s: title %q, last prompt %q", name, with.Info.Title, with.LastPrompt)
		}
		if f := with.FactsBefore(1); f.Last != "Hello." || len(f.Constraints) != 0 {
			t.Errorf("%s: facts %+v", name, f)
		}
	}
	if got := Seen(both, load); got != "Hello." {
		t.Errorf("seen: %q", got)
	}
	if got := ShownOf(both); !strings.Contains(got, "never see this") {
		t.Errorf("shown to people: %q", got)
	}
}

// A text from a file cannot end the fences that it is put between.
func TestQuotedText(t *testing.T) {
	for _, text := range []string{"x", "x\n", "```\nout\n```", "````", "a ````` b ``` c\n"} {
		lines := strings.Split(Quoted(Block{URI: "file:///a", Text: text}), "\n")
		fence := lines[1]
		if lines[len(lines)-1] != fence || strings.Count(Quoted(Block{URI: "file:///a", Text: text}), fence) != 2 || strings.Contains(text, fence) {
			t.Errorf("%q: %q", text, lines)
		}
	}
}
