package session

import (
	"sync"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/secrets"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// sink is what a running call may talk to.
type sink struct {
	session *Session
	run     *run
	call    history.Call
	step    *step
	begun   func() // a task's sub-agent has begun

	mu   sync.Mutex // guards held, and keeps pieces in order
	held string     // the end of what was shown last, which may be the beginning of a secret
}

// ToolOutput is live output of a call (protocol §5).
type ToolOutput struct {
	CallID string `json:"callId"`
	Stream string `json:"stream"`
	Text   string `json:"text"`
}

func (k *sink) CallID() string { return k.call.CallID }

// Output shows the last 8 KiB of what comes at once, its secrets hidden. What may be
// the beginning of one waits for what comes behind it; the result follows in any
// case.
func (k *sink) Output(stream, text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	text, cut := k.held+text, false
	if from := len(text) - maxLive; from >= 0 {
		text, cut = text[from:], true // also by those who have cut it to that much before
		for len(text) > 0 && !utf8.RuneStart(text[0]) {
			text = text[1:]
		}
	}
	shown := text[:len(text)-min(secrets.Pending(text), len(text))]
	if k.held = text[len(shown):]; shown != "" {
		k.session.showOf(k.run, "tool.output", ToolOutput{k.call.CallID, stream, history.Clean(k.session.book().TakePiece(shown, cut, false))})
	}
}

// Tell says something that is no output, also when the call has returned and its
// run has ended.
func (k *sink) Tell(kind, title string) {
	k.session.showOf(k.run, "notice", Notice{Severity: "info", Title: control.Title(k.session.Hide(title), 400), Kind: kind})
}

func (k *sink) Spill(mime string) (tool.Spill, error) {
	return k.session.deps.Artifacts.Create(k.session.root().id, k.call.Tool, k.call.CallID, mime)
}

// maxLive is how much of live output one event shows, in bytes (workspace §3).
const maxLive = 8 << 10
