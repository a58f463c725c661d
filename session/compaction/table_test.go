package compaction

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// told is the transcript of events that happened in this order.
func told(t *testing.T, bodies ...history.Body) *history.Transcript {
	t.Helper()
	out := history.NewTranscript()
	for i, b := range bodies {
		if err := out.Apply(history.Event{Seq: int64(i + 1), Time: time.Unix(0, 0), Run: "r", Body: b}); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func prompt(text string) history.Body {
	return history.RunStarted{Prompt: history.Text(text), Kind: "prompt"}
}

func says(text string) history.Body { return history.AssistantMessage{Text: text} }

func calls(tool string, ids ...string) history.Body {
	var a history.AssistantMessage
	for _, id := range ids {
		a.Calls = append(a.Calls, history.Call{CallID: id, Tool: tool, Input: []byte(`{}`)})
	}
	return a
}

func returned(tool, id, text string) history.Body {
	return history.ToolReturned{CallID: id, Tool: tool, Status: "completed", Text: text}
}

// step is one call of read with a result of so many bytes.
func step(id string, bytes int) []history.Body {
	return []history.Body{calls("read", id), returned("read", id, strings.Repeat(".", bytes))}
}

// bytes is the simplest measure: one token a byte.
func bytes(s history.Size) int64 { return s.Bytes }

// one gains something whatever it is.
func one(history.Size) int64 { return 1 }

// results are the texts of the results in order.
func results(items []history.Item) string {
	var out []string
	for _, it := range items {
		if it.Result != nil {
			text := it.Result.Text
			if len(text) > 100 {
				text = "whole"
			}
			out = append(out, text)
		}
	}
	return strings.Join(out, "|")
}

func ids(list []*history.ToolReturned) string {
	var out []string
	for _, r := range list {
		out = append(out, r.CallID)
	}
	return fmt.Sprint(out)
}
