package testclient

import (
	"encoding/json"
	"strings"
	"testing"
)

// One result in a request is at most as long as a line of the log.
func TestHistoryBoundsResults(t *testing.T) {
	for size, ok := range map[int]bool{maxLogLine - 1: true, maxLogLine: true, maxLogLine + 1: false} {
		content := json.RawMessage(`"` + strings.Repeat("x", size-2) + `"`)
		var call chatCall
		call.ID = "c1"
		problems := checkHistory([]chatMessage{{Role: "assistant", ToolCalls: []chatCall{call}}, {Role: "tool", CallID: "c1", Content: content}})
		if (len(problems) == 0) != ok {
			t.Errorf("%d bytes: %v", size, problems)
		}
	}
	image := json.RawMessage(`[{"type":"image_url","image_url":{"url":"data:` + strings.Repeat("x", maxLogLine) + `"}}]`)
	var call chatCall
	call.ID = "c1"
	if problems := checkHistory([]chatMessage{{Role: "assistant", ToolCalls: []chatCall{call}}, {Role: "tool", CallID: "c1", Content: image}}); len(problems) > 0 {
		t.Error(problems)
	}
}
