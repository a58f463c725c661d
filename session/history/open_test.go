package history

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/durable"
)

// longLog writes a log of at least so many events: turns of a prompt, ten calls
// with results of 3 KB, an answer and an end, and a summary after every tenth
// turn, as a session has that went on for weeks.
func longLog(t testing.TB, dir string, events int) (bytes int64) {
	t.Helper()
	log, err := Create(&durable.Disk{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var seq int64
	var fold = NewTranscript()
	say := func(run string, b Body) {
		seq++
		at = at.Add(time.Second)
		e := Event{Seq: seq, Time: at, Run: run, Body: b}
		if err := log.Append(e); err != nil {
			t.Fatal(err)
		}
		if err := fold.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	code := strings.Repeat("func (s *Session) record(run string, body Body) error {\n\tdefer s.mu.Unlock() // \"quoted\"\n", 33)
	say("", Opened{Version: 1, Key: "workspace:w/agent:build/main", WorkspaceURI: "file:///w", Agent: "build", Mode: "agent", RuntimeMode: "local"})
	for turn := 0; seq < int64(events); turn++ {
		run := fmt.Sprintf("0001-r%d", turn)
		say(run, RunStarted{Prompt: Text("please look at file " + run), Agent: "build", Model: "m", ClientMessageID: "c" + run, Kind: "prompt"})
		for i := range 10 {
			id := fmt.Sprintf("%s-c%d", run, i)
			input := json.RawMessage(fmt.Sprintf(`{"path":"session/file%d.go","offset":%d}`, i, turn))
			say(run, AssistantMessage{MessageID: "m" + id, Text: "I will read it.", Calls: []Call{{CallID: id, Tool: "read", Input: input}}, Usage: &TokenCount{InputTokens: 1000, OutputTokens: 10}, Model: "m"})
			say(run, ToolRequested{CallID: id, Tool: "read", Input: input, Title: "read session/file.go"})
			say(run, ToolDecided{CallID: id, Decision: "allow", Source: "default", By: "default"})
			say(run, ToolReturned{CallID: id, Tool: "read", Status: "completed", Text: code, DurationMs: 3})
		}
		say(run, AssistantMessage{MessageID: "f" + run, Text: "It is done.", Model: "m"})
		say(run, RunEnded{StopReason: "end_turn", Changes: []FileChange{}})
		if turn%10 == 9 {
			say(run, ContextCompacted{Trigger: "auto", OK: true, Summary: "much was read", KeepFrom: seq - 80, DroppedTools: []string{"read"}})
		}
	}
	return log.Bytes()
}

func BenchmarkOpen(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "0001")
	size := longLog(b, dir, 100_000)
	b.SetBytes(size)
	for b.Loop() {
		fold := NewTranscript()
		log, err := Open(&durable.Disk{}, dir, fold.Apply)
		if err != nil {
			b.Fatal(err)
		}
		log.Close()
	}
}
