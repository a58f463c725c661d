package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	_ "github.com/agent-sidecar/agent-sidecar/internal/durable/unsynced" // nothing here waits for the drive
)

// long writes a log of over a megabyte, turn after turn, with what summary gives
// behind each of them (nil: nothing), and gives its folder.
func long(t *testing.T, turns int, summary func(turn int, seq int64) Body) string {
	t.Helper()
	dir := t.TempDir()
	log, err := Create(&durable.Disk{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	seq := int64(0)
	say := func(run string, b Body) {
		seq++
		if err := log.Append(Event{Seq: seq, Time: time.UnixMilli(seq * 1000), Run: run, Body: b}); err != nil {
			t.Fatal(err)
		}
	}
	say("", Opened{Version: 1, Key: "k", Agent: "build", Mode: "agent"})
	for n := range turns {
		run := fmt.Sprint("r", n)
		say(run, RunStarted{Prompt: Text("never touch " + run), Agent: "build", Model: "m", ClientMessageID: "c" + run, Kind: "prompt"})
		id := calledIn(n)
		say(run, AssistantMessage{MessageID: "m" + id, Calls: []Call{{CallID: id, Tool: "read", Input: json.RawMessage(`{"path":"f` + run + `"}`)}}, Model: "m"})
		say(run, ToolReturned{CallID: id, Tool: "read", Status: "completed", Text: strings.Repeat(`{"a" "b"}\ `+"\n", 3000), Changes: []FileChange{{Path: "p" + run, Kind: "modified"}}, DurationMs: 3})
		say(run, AssistantMessage{MessageID: "f" + run, Text: "Done.", Model: "m"})
		say(run, RunEnded{StopReason: "end_turn", Changes: []FileChange{}})
		if b := summary(n, seq); b != nil {
			say(run, b)
		}
	}
	if log.Bytes() < longLogBytes {
		t.Fatalf("%d bytes are not long", log.Bytes())
	}
	return dir
}

// calledIn is the call of a turn.
func calledIn(turn int) string { return fmt.Sprint("cr", turn) }

func opened(dir string) (*Transcript, error) {
	log, t, err := Open(&durable.Disk{}, dir)
	if err == nil {
		err = log.Close()
	}
	return t, err
}

// A long log that is opened, read ahead and read no further than its last summary
// needs, is what its events are one after the other.
func TestALongLogIsItsEvents(t *testing.T) {
	at := func(turn int, b ContextCompacted) func(int, int64) Body {
		return func(n int, seq int64) Body {
			if n != turn {
				return nil
			}
			if b.KeepFrom < 0 {
				b.KeepFrom += seq
			}
			return b
		}
	}
	for name, summary := range map[string]func(int, int64) Body{
		"no summary":            func(int, int64) Body { return nil },
		"after every turn":      func(_ int, seq int64) Body { return ContextCompacted{OK: true, Summary: "s", KeepFrom: seq - 4} },
		"early":                 at(2, ContextCompacted{OK: true, Summary: "s", KeepFrom: -3}),
		"at the end":            at(39, ContextCompacted{OK: true, Summary: "s", KeepFrom: -8}),
		"not accepted":          at(39, ContextCompacted{KeepFrom: -8}),
		"keeps from the start":  at(20, ContextCompacted{OK: true, Summary: "s", KeepFrom: 1}),
		"keeps what is to come": at(20, ContextCompacted{OK: true, Summary: "s", KeepFrom: 10_000}),
		"from nowhere":          at(20, ContextCompacted{OK: true, Summary: "s"}),
		"words that look so":    func(int, int64) Body { return UserMessage{Content: Text(`"type":"context.compacted","ok":true`)} },
	} {
		dir := long(t, 40, summary)
		got, err := opened(dir)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := NewTranscript()
		if err := Read(dir).Each(1, want.Apply); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: opened\n%+v\nis not\n%+v", name, got.Facts, want.Facts)
		}
	}
}

// What is wrong in a long log is named, also behind a summary.
func TestALongLogWithABadLine(t *testing.T) {
	for name, row := range map[string]struct{ old, new, want string }{
		"no JSON":          {`"callId":"cr3","tool":"read","status"`, `"callId":"cr3","tool":"read",status"`, "line 19: "},
		"a text of 7":      {`"callId":"cr3","tool":"read","status":"completed","text":"`, `"callId":"cr3","tool":"read","status":"completed","text":7,"x":"`, "line 19: "},
		"a seq is missing": {`"seq":19,`, `"seq":20,`, "line 19: seq 20 follows 18"},
	} {
		dir := long(t, 40, func(_ int, seq int64) Body {
			if seq < 200 {
				return nil
			}
			return ContextCompacted{OK: true, Summary: "s", KeepFrom: seq - 4}
		})
		path := filepath.Join(dir, "events.jsonl")
		whole, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(whole, []byte(row.old)) {
			t.Fatal(name, err)
		}
		if err := os.WriteFile(path, bytes.Replace(whole, []byte(row.old), []byte(row.new), 1), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := opened(dir); err == nil || !strings.Contains(err.Error(), path+": "+row.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
