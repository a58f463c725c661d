package session

import (
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// sink is what a running call may talk to.
type sink struct {
	session *Session
	run     *run
	call    history.Call
	begun   func() // a task's sub-agent has begun
}

// ToolOutput is live output of a call (protocol §5).
type ToolOutput struct {
	CallID string `json:"callId"`
	Stream string `json:"stream"`
	Text   string `json:"text"`
}

func (k *sink) CallID() string { return k.call.CallID }

// Output shows the last 8 KiB of what comes at once.
func (k *sink) Output(stream, text string) {
	if from := len(text) - maxLive; from > 0 {
		text = text[from:]
		for len(text) > 0 && !utf8.RuneStart(text[0]) {
			text = text[1:]
		}
	}
	k.session.showOf(k.run, "tool.output", ToolOutput{k.call.CallID, stream, history.Clean(text)})
}

// Tell says something that is no output, also when the call has returned and its
// run has ended.
func (k *sink) Tell(kind, title string) {
	k.session.showOf(k.run, "notice", Notice{Severity: "info", Title: control.Title(title, 400), Kind: kind})
}

func (k *sink) Spill(mime string) (tool.Spill, error) {
	return k.session.deps.Artifacts.Create(k.session.root().id, k.call.Tool, k.call.CallID, mime)
}

// maxLive is how much of live output one event shows, in bytes (workspace §3).
const maxLive = 8 << 10
