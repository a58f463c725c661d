package history

import (
	"strings"
	"testing"
	"time"
)

// Whose text was part of a conversation stays known over a summary.
func TestHeardSources(t *testing.T) {
	for tools, want := range map[string]string{
		"": "", "memory write move delete tasks_update": "", "read": "files", "bash": "files", "unknown_tool": "files", "task": "files", "edit": "files",
		"web_fetch": "web", "web_search read": "files web", "mcp__a__b": "MCP", "mcp__a__b grep web_fetch": "files web MCP",
	} {
		tr := NewTranscript()
		for i, tool := range strings.Fields(tools) {
			if err := tr.Apply(Event{Seq: int64(i + 1), Time: time.Unix(0, 0), Body: ToolReturned{CallID: "c", Tool: tool, Status: "completed"}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := tr.Apply(Event{Seq: tr.Seq + 1, Time: time.Unix(0, 0), Body: ContextCompacted{Summary: "s"}}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(tr.Heard.Words(), " "); got != want {
			t.Errorf("%s: %q, want %q", tools, got, want)
		}
	}
}
