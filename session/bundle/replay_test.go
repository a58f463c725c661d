package bundle

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// What a replay has a client say is what a server takes: other words for a prompt
// that waits, an image that lies beside the log, and nothing for what a reset, which
// no client of the session asked for, has closed.
func TestReplaySays(t *testing.T) {
	dir := t.TempDir()
	image := hashOf([]byte("\x89PNG\xff\x00"))
	put(t, filepath.Join(dir, "blobs", image), "\x89PNG\xff\x00")
	closed := true
	writeEvents(t, dir, 0,
		"", history.Opened{Version: 1, Key: "workspace:w/agent:build/main", WorkspaceURI: "file:///srv/work/shop", Agent: "build", Mode: "agent", RuntimeMode: "local"},
		"r1", history.RunStarted{Prompt: []history.Block{{Type: "image", URI: image, MIMEType: "image/png"}}, Agent: "build", Model: "m", Kind: "prompt"},
		"r2", history.RunQueued{ItemID: "q1", Prompt: history.Text("Later.")},
		"r2", history.RunQueued{ItemID: "q1", Prompt: history.Text("Better.")},
		"r1", history.AssistantMessage{MessageID: "m1", Model: "m", Text: "Seen."},
		"r1", history.RunEnded{StopReason: "end_turn", Changes: []history.FileChange{}},
		"r2", history.RunStarted{Prompt: history.Text("Better."), Agent: "build", Model: "m", Kind: "prompt"},
		"r2", history.AssistantMessage{MessageID: "m2", Model: "m", Text: "Done."},
		"r2", history.RunEnded{StopReason: "end_turn", Changes: []history.FileChange{}},
		"", history.Changed{Closed: &closed},
	)
	b, err := Read(bytes.NewReader(written(t, Source{ID: "0007", Dir: dir, Program: "test"}, hidden())))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := b.Conversation(&out); err != nil {
		t.Fatal(err)
	}
	for said, times := range map[string]int{
		`"prompt": "Later."`: 1, `--> agent/queue #`: 1, `"itemId": "q1", "op": "update", "prompt": "Better."`: 1, `--> agent/run #`: 2,
		`"type": "image", "data": "iVBO`: 1, `agent/session/update`: 0,
	} {
		if n := strings.Count(out.String(), said); n != times {
			t.Errorf("%s stands there %d times, want %d, in\n%s", said, n, times, out.String())
		}
	}
}
