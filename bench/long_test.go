package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// manyEvents is how long the long session is; its log has about 100 MB.
const manyEvents = 100_000

// BenchmarkLong opens a session that went on for weeks and pages through it.
func BenchmarkLong(b *testing.B) {
	m := newInstant(b, func(int) []string { return []string{text("Yes.")} })
	e := openEditor(b, m.url)
	var made struct {
		Result struct{ Session history.Info }
	}
	if err := json.Unmarshal(e.call("agent/session/new", struct{}{}), &made); err != nil {
		b.Fatal(err)
	}
	id := made.Result.Session.ID
	e.stop()
	logs, err := filepath.Glob(filepath.Join(e.home, "sessions", "*", id, "events.jsonl"))
	if err != nil || len(logs) != 1 {
		b.Fatal(logs, err)
	}
	if err := os.Remove(logs[0]); err != nil {
		b.Fatal(err)
	}
	size := longLog(b, filepath.Dir(logs[0]), manyEvents)
	resume := func() (took time.Duration, grown int64) {
		e.start()
		defer e.stop()
		e.call("initialize", e.initialize())
		e.send("initialized", nil, struct{}{})
		before := e.memory("VmRSS")
		start := time.Now()
		e.call("agent/session/resume", map[string]any{"sessionId": id})
		return time.Since(start), e.memory("VmRSS") - before
	}
	fold := filepath.Join(filepath.Dir(logs[0]), "events.fold")
	open, said := attempts(300, func() (float64, string) {
		if err := os.Remove(fold); err != nil && !errors.Is(err, fs.ErrNotExist) {
			b.Fatal(err)
		}
		took, grown := resume()
		return ms(took) * 100e6 / float64(size), fmt.Sprintf("%d events, %.0f MB in %.0f ms; resident memory %+.0f MB", manyEvents, mb(size), ms(took), mb(grown))
	})
	gated(b, "opening a session without a fold, per 100 MB of log", open, 300, "ms", said)
	if _, err := os.Stat(fold); err != nil {
		b.Fatal("no fold was written:", err)
	}
	again, said := attempts(foldedGate, func() (float64, string) {
		read := reading(b, logs[0])
		took, grown := resume()
		return took.Seconds() / read.Seconds(), fmt.Sprintf("%.0f ms, and %.0f ms to read its bytes; resident memory %+.0f MB", ms(took), ms(read), mb(grown))
	})
	gated(b, "opening it again, to reading its bytes", again, foldedGate, "x", said)
	e.start()
	e.call("initialize", e.initialize())
	e.send("initialized", nil, struct{}{})
	e.call("agent/session/resume", map[string]any{"sessionId": id})
	page, said := attempts(10, func() (float64, string) {
		var worst time.Duration
		for after := 0; after < manyEvents; after += manyEvents / 20 {
			start := time.Now()
			e.call("agent/events", map[string]any{"sessionId": id, "after": after})
			worst = max(worst, time.Since(start))
		}
		return ms(worst), "the slowest of twenty, all over the log"
	})
	gated(b, "a page of its history", page, 10, "ms", said)
}

// foldedGate is how many times as long as its bytes are read a log with a fold may take to be
// opened: they are hashed, which takes seven times as long by one core. Without a fold it is 35 times.
const foldedGate = 20

// reading is how long it takes to read a file and do nothing with it, at its best of three.
func reading(b *testing.B, path string) time.Duration {
	b.Helper()
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	buf := make([]byte, 1<<20)
	best := time.Hour
	for range 3 {
		start := time.Now()
		if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, io.NewSectionReader(f, 0, 1<<62), buf); err != nil {
			b.Fatal(err)
		}
		best = min(best, time.Since(start))
	}
	return best
}

// longLog writes a log of at least so many events: turns of a prompt, ten calls
// with results of 3 KB, an answer and an end, and a summary after every tenth
// turn, as a session has that went on for weeks.
func longLog(b *testing.B, dir string, events int) (bytes int64) {
	b.Helper()
	log, err := history.Create(&durable.Disk{}, dir)
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var seq int64
	say := func(run string, body history.Body) {
		seq++
		at = at.Add(time.Second)
		e := history.Event{Seq: seq, Time: at, Run: run, Body: body}
		if err := log.Append(e); err != nil {
			b.Fatal(err)
		}
	}
	code := strings.Repeat("func (s *Session) record(run string, body Body) error {\n\tdefer s.mu.Unlock() // \"quoted\"\n", 33)
	say("", history.Opened{Version: 1, Key: "workspace:w/agent:build/main", WorkspaceURI: "file:///w", Agent: "build", Mode: "agent", RuntimeMode: "local"})
	for turn := 0; seq < int64(events); turn++ {
		run := fmt.Sprintf("0001-r%d", turn)
		say(run, history.RunStarted{Prompt: history.Text("please look at file " + run), Agent: "build", Model: "m", ClientMessageID: "c" + run, Kind: "prompt"})
		for i := range 10 {
			id := fmt.Sprintf("%s-c%d", run, i)
			input := json.RawMessage(fmt.Sprintf(`{"path":"session/file%d.go","offset":%d}`, i, turn))
			say(run, history.AssistantMessage{MessageID: "m" + id, Text: "I will read it.", Calls: []history.Call{{CallID: id, Tool: "read", Input: input}}, Usage: &history.TokenCount{InputTokens: 1000, OutputTokens: 10}, Model: "m"})
			say(run, history.ToolRequested{CallID: id, Tool: "read", Input: input, Title: "read session/file.go"})
			say(run, history.ToolDecided{CallID: id, Decision: "allow", Source: "default", By: "default"})
			say(run, history.ToolReturned{CallID: id, Tool: "read", Status: "completed", Text: code, DurationMs: 3})
		}
		say(run, history.AssistantMessage{MessageID: "f" + run, Text: "It is done.", Model: "m"})
		say(run, history.RunEnded{StopReason: "end_turn", Changes: []history.FileChange{}})
		if turn%10 == 9 {
			say(run, history.ContextCompacted{Trigger: "auto", OK: true, Summary: "much was read", KeepFrom: seq - 80, DroppedTools: []string{"read"}})
		}
	}
	return log.Bytes()
}
