package bundle

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// prunedSession is one whose only result was written as an artifact when it was
// pruned, and that a reset has closed.
func prunedSession(t *testing.T) Source {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "artifact.txt")
	output := "at /srv/work/shop " + secret + "\n"
	put(t, file, output)
	ref := tool.ArtifactRef{ArtifactID: artifactID, URI: "agent-artifact:/0007/" + artifactID + ".txt", FileURI: "file:///srv/work/shop/.agent-output/0007/" + artifactID + ".txt",
		Path: ".agent-output/0007/" + artifactID + ".txt", Bytes: int64(len(output)), Lines: 1, MIMEType: "text/plain", SHA256: hashOf([]byte(output))}
	lost := ref
	lost.ArtifactID, lost.Path = gone, "/etc/shadow"
	closed, title := true, "safe\u202e\x1b[2J\n"+strings.Repeat("long ", 100)
	writeEvents(t, dir, 0,
		"", history.Opened{Version: 1, Key: "workspace:shop-1a2b3c4d/agent:build/main", WorkspaceURI: "file:///srv/work/shop", Agent: "build", Mode: "agent", RuntimeMode: "local"},
		"r1", history.RunStarted{Prompt: history.Text("Go."), Agent: "build", Model: "m", Kind: "prompt", ClientMessageID: "1"},
		"r2", history.RunQueued{ItemID: "q1", Request: history.Request{Prompt: history.Text("Later."), ClientMessageID: "2"}},
		"r1", history.UserMessage{MessageID: "m0", Content: history.Text("Hurry."), Steering: true, ClientMessageID: "3"},
		"r1", history.AssistantMessage{MessageID: "m1", Model: "m", Calls: []history.Call{{CallID: "c1", Tool: "bash", Input: json.RawMessage(`{}`)}, {CallID: "c2", Tool: "grep", Input: json.RawMessage(`{}`)}}},
		"r1", history.ToolReturned{CallID: "c1", Tool: "bash", Status: "completed", Text: output},
		"r1", history.ToolReturned{CallID: "c2", Tool: "grep", Status: "completed", Text: output},
		"r1", history.ContextPruned{CallIDs: []string{"c1", "c2"}, Tokens: 9, Artifacts: map[string]tool.ArtifactRef{"c1": ref, "c2": lost}},
		"r1", history.RunEnded{StopReason: "end_turn", Changes: []history.FileChange{}},
		"", history.Changed{Closed: &closed, Title: &title},
	)
	return Source{ID: "0007", Dir: dir, Program: "test", Artifacts: []Artifact{{ref, file}}}
}

// What was written as an artifact when it was pruned comes along like every other:
// measured as it stands in the bundle, under a new name where it is imported, and
// not at all where it is no more.
func TestPrunedArtifacts(t *testing.T) {
	for name, hide := range map[string]*Private{"redacted": hidden(), "as it is": nil} {
		t.Run(name, func(t *testing.T) {
			raw := written(t, prunedSession(t), hide)
			if !bytes.Contains(raw, []byte(`{"leftOut":"artifact","name":"`+gone)) {
				t.Error("the lost artifact is not named")
			}
			b, err := Read(bytes.NewReader(raw))
			if err != nil {
				t.Fatal(err)
			}
			data := b.Parts[0].Data
			if ref := b.Root().Lines[7].Body.(history.ContextPruned).Artifacts["c1"]; ref.SHA256 != hashOf(data) || ref.Bytes != int64(len(data)) {
				t.Errorf("%+v is not that of %q", ref, data)
			}
			to := target(t)
			if err := b.Restore(to); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(filepath.Join(to.Dir, "events.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			for word, want := range map[string]bool{`"artifactId":"new1-bash-c1"`: true, `"sha256":"new"`: true, "/0007/": false, artifactID: false, gone: false, "/etc/shadow": false} {
				if strings.Contains(string(text), word) != want {
					t.Errorf("%s in the log: want %v\n%s", word, want, text)
				}
			}
		})
	}
}

// An imported session has a key of its own, whatever became of that of the other,
// and is text from outside from its first event, so that a fork of its beginning is
// too. No message of a client has been taken in it, and its title is one line.
func TestImportedIsNew(t *testing.T) {
	b, err := Read(bytes.NewReader(written(t, prunedSession(t), hidden())))
	if err != nil {
		t.Fatal(err)
	}
	to := target(t)
	if err := b.Restore(to); err != nil {
		t.Fatal(err)
	}
	tr := history.NewTranscript()
	if err := history.Read(to.Dir).Each(1, func(e history.Event) error {
		err := tr.Apply(e)
		if !tr.Tainted {
			t.Errorf("at seq %d it is not tainted", e.Seq)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if tr.Closed {
		t.Error("it is closed")
	}
	if len(tr.Acks) > 0 {
		t.Errorf("a client that counts its messages would be told that these are taken: %v", tr.Acks)
	}
	if strings.ContainsAny(tr.Info.Title, "\u202e\x1b\n") || len(tr.Info.Title) > 210 {
		t.Errorf("it is called %q", tr.Info.Title)
	}
}

// A summary that takes a call away and leaves its result makes a conversation that
// no model takes: such a log is refused.
func TestReadRefusesASummaryInsideABatch(t *testing.T) {
	call := history.AssistantMessage{MessageID: "m1", Model: "m", Calls: []history.Call{{CallID: "c1", Tool: "bash", Input: json.RawMessage(`{}`)}}}
	result := history.ToolReturned{CallID: "c1", Tool: "bash", Status: "completed", Text: "x"}
	summary := func(keep int64, ok bool) history.ContextCompacted {
		return history.ContextCompacted{Trigger: "auto", Summary: "s", KeepFrom: keep, OK: ok, DroppedTools: []string{}}
	}
	for name, row := range map[string]struct {
		bodies []history.Body
		good   bool
	}{
		"before the call":        {[]history.Body{call, result, summary(3, true)}, true},
		"before the result":      {[]history.Body{call, result, summary(4, true)}, false},
		"not accepted":           {[]history.Body{call, result, summary(4, false)}, true},
		"behind the result":      {[]history.Body{call, result, summary(5, true)}, true},
		"while the call is open": {[]history.Body{call, summary(4, true), result}, false},
	} {
		dir := t.TempDir()
		pairs := []any{"", history.Opened{Version: 1, Agent: "build", Mode: "agent", RuntimeMode: "local"}, "r1", history.RunStarted{Prompt: history.Text("Go."), Kind: "prompt"}}
		for _, b := range row.bodies {
			pairs = append(pairs, "r1", b)
		}
		writeEvents(t, dir, 0, pairs...)
		if _, err := Read(bytes.NewReader(written(t, Source{ID: "0007", Dir: dir}, nil))); (err == nil) != row.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a group has said is closed to memory where it is imported, too: the key there
// is the imported session's own and says nothing of it.
func TestImportedOfAGroup(t *testing.T) {
	for _, opened := range []history.Opened{
		{Version: 1, Key: "workspace:shop-1a2b3c4d/agent:build/group:slack:team", Agent: "build", Mode: "agent", RuntimeMode: "local"},
		{Version: 1, Key: "workspace:shop-1a2b3c4d/agent:build/session:0009", Agent: "build", Mode: "agent", RuntimeMode: "local", Group: true},
	} {
		dir := t.TempDir()
		writeEvents(t, dir, 0, "", opened, "r1", history.RunStarted{Prompt: history.Text("Go."), Agent: "build", Model: "m", Kind: "prompt"},
			"r1", history.RunEnded{StopReason: "end_turn", Changes: []history.FileChange{}})
		b, err := Read(bytes.NewReader(written(t, Source{ID: "0007", Dir: dir, Program: "test"}, hidden())))
		if err != nil {
			t.Fatal(err)
		}
		to := target(t)
		if err := b.Restore(to); err != nil {
			t.Fatal(err)
		}
		tr, err := history.Boundary(history.Read(to.Dir), 0)
		if err != nil || !tr.Opened.Group {
			t.Errorf("%s: %+v, %v", opened.Key, tr.Opened, err)
		}
	}
}
