package session

import (
	"context"
	"sync"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/secrets"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/questions"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// sink is what a running call may talk to.
type sink struct {
	calls *caller
	run   *run
	call  history.Call
	step  *invocation
	begun func() // a task's sub-agent has begun

	mu   sync.Mutex // guards held, and keeps pieces in order
	held string     // the end of what was shown last, which may be the beginning of a secret
}

// ToolOutput is live output of a call.
type ToolOutput struct {
	CallID string `json:"callId"`
	Stream string `json:"stream"`
	Text   string `json:"text"`
}

func (k *sink) CallID() string { return k.call.CallID }

func (k *sink) Line() string { return k.calls.id }

// Output shows the last 8 KiB of what comes at once, its secrets hidden. What may be
// the beginning of one waits for what comes behind it; the result follows in any
// case.
func (k *sink) Output(stream, piece string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	come, cut := k.held+piece, false
	if from := len(come) - maxLive; from >= 0 {
		come, cut = come[from:], true // also by those who have cut it to that much before
		for len(come) > 0 && !utf8.RuneStart(come[0]) {
			come = come[1:]
		}
	}
	shown := come[:len(come)-min(secrets.Pending(come), len(come))]
	if k.held = come[len(shown):]; shown != "" {
		k.calls.watchers.showOf(k.run, "tool.output", ToolOutput{k.call.CallID, stream, history.Clean(k.calls.root.redactor.RedactPiece(shown, cut, false))})
	}
}

// Inquire implements tool.Inquirer.
func (k *sink) Inquire(ctx context.Context, from string, all []tool.Inquiry) ([]tool.Reply, bool, error) {
	if k.calls.id != k.calls.root.id {
		return nil, false, nil // a sub-agent has nobody
	}
	return questions.Forward(ctx, k.calls.journal, k.calls.deps.Approver, k.calls.asker, k.call.CallID, from, all)
}

// CanBrowse implements tool.Browser.
func (k *sink) CanBrowse() bool {
	b, is := k.calls.deps.Approver.(tool.Browser)
	return is && k.calls.id == k.calls.root.id && b.CanBrowse()
}

// Browse implements tool.Browser.
func (k *sink) Browse(ctx context.Context, address string) bool {
	b, is := k.calls.deps.Approver.(tool.Browser)
	return is && k.CanBrowse() && b.Browse(ctx, address)
}

// JobEnded says how a job ended, also when the call that started it has returned and
// its run has ended.
func (k *sink) JobEnded(e tool.JobEnd) {
	command := k.shown(e.Command)
	how := said.That("Background command ended with exit code %d: %s", e.Code, command)
	switch {
	case e.NotStarted != "":
		how = said.That("Background command could not be started: %s: %s", k.shown(e.NotStarted), command)
	case e.TimedOut > 0:
		how = said.That("Background command timed out after %d ms and was stopped: %s", e.TimedOut, command)
	case e.Failed != "":
		how = said.That("Background command failed: %s: %s", k.shown(e.Failed), command)
	case e.Signal != "":
		how = said.That("Background command was ended by signal %s (exit code %d): %s", e.Signal, e.Code, command)
	}
	k.calls.watchers.showOf(k.run, "notice", Notice{Severity: "info", Kind: "job", Title: how})
}

// shown is a word of a notice, in one line and without its secrets.
func (k *sink) shown(word string) string {
	return control.Title(k.calls.root.redactor.RedactAgain(word), 200)
}

func (k *sink) Spill(mime string) (tool.Spill, error) {
	return k.calls.root.place().Artifacts.Create(k.calls.root.id, k.call.Tool, k.call.CallID, mime)
}

// maxLive is how much of live output one event shows, in bytes.
const maxLive = 8 << 10
