package session

import (
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// noRoom is that a window has none for a conversation.
type noRoom struct {
	why    said.Text
	detail string // what the provider has said; "" where it was not asked
}

func (e *noRoom) Error() string { return e.why.String() }

// ended is the end of a run.
func (e *noRoom) ended() *history.RunError {
	return &history.RunError{Kind: string(model.KindOverflow), Message: e.why, Detail: said.Plain(e.detail)}
}
