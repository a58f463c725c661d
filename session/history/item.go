package history

import (
	"encoding/json"
	"strings"
)

// Item is one message of the conversation.
type Item struct {
	Seq    int64
	turn   int
	Blocks []Block           // a user's words; nil for the others
	Answer *AssistantMessage // the model's
	Result *ToolReturned     // a tool's
	Size   Size

	Prompt    bool // it begins a turn
	Pruned    bool // a result of which only the name is left
	Cut       bool // a result that was cut anew, for a smaller window
	Data      bool // a result that is one JSON object or array: an answer made for machines
	synthetic bool // a user's words that the sidecar wrote
	steering  bool // said while the run was under way
}

// itemOf is the message that an event is, the zero Item for one that is none.
func itemOf(e Event) Item {
	switch b := e.Body.(type) {
	case RunStarted:
		return Item{Seq: e.Seq, Blocks: b.Prompt, Prompt: true}
	case UserMessage:
		return Item{Seq: e.Seq, Blocks: b.Content, synthetic: b.Synthetic, steering: b.Steering}
	case AssistantMessage:
		return Item{Seq: e.Seq, Answer: &b}
	case ToolReturned:
		return Item{Seq: e.Seq, Result: &b, Data: isData(b)}
	}
	return Item{}
}

// isData says that a result is an answer made for machines, such as an MCP
// server's. What was truncated is only a preview of one.
func isData(r ToolReturned) bool {
	text := strings.TrimSpace(r.Text)
	if r.Truncated || !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") || !strings.HasSuffix(text, "}") && !strings.HasSuffix(text, "]") {
		return false
	}
	return json.Valid([]byte(text))
}

// steering wraps what a person says while the run is under way.
const steering = `<system-reminder>
The user sent the following message:
%s

Please address this message and continue with your tasks.
</system-reminder>`
