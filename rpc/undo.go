package rpc

import (
	"context"
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/store"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

type sessionUndoParams struct {
	SessionID string    `json:"sessionId"`
	To        undoTo    `json:"to"`
	Paths     *[]string `json:"paths"`
	DryRun    bool      `json:"dryRun"`
	Merge     bool      `json:"merge"`
}

// undoTo says how far back: one of its members.
type undoTo struct {
	CallID string `json:"callId"`
	RunID  string `json:"runId"`
	Seq    *int64 `json:"seq"`
}

func (p *sessionUndoParams) Check() error {
	if p.SessionID == "" {
		return wire.Missing("sessionId")
	}
	given := 0
	for _, is := range []bool{p.To.CallID != "", p.To.RunID != "", p.To.Seq != nil} {
		if is {
			given++
		}
	}
	switch {
	case given == 0:
		return wire.Missing("to")
	case given > 1:
		return wire.InvalidParams("to", "is more than one of callId, runId, seq")
	case p.Paths != nil && len(*p.Paths) == 0:
		return wire.InvalidParams("paths", "is empty; without it all files are meant")
	}
	return nil
}

type sessionUndoResult struct {
	Changes   []history.FileChange `json:"changes"`
	Conflicts []undoConflict       `json:"conflicts"`
}

// undoConflict is a file that an undo leaves as it is, and why, in the client's language.
type undoConflict struct {
	Path   string   `json:"path"`
	Reason string   `json:"reason"`
	With   []string `json:"with,omitempty"` // the other calls that have changed it, where they are the reason
}

// undos brings files back.
type undos struct {
	*link
	store    *store.Store
	surfaces *surface.Surfaces
}

// sessionUndo brings files back to before a call or a run, or to what they were as
// of a seq. A person asked for it, so nobody is asked again. Its file.changed
// events come behind the answer.
func (s *undos) sessionUndo(ctx context.Context, c *wire.Call, p sessionUndoParams) (sessionUndoResult, error) {
	of, err := s.store.Get(p.SessionID)
	if err != nil {
		return sessionUndoResult{}, err
	}
	to := session.UndoTo{CallID: p.To.CallID, RunID: p.To.RunID, Seq: p.To.Seq}
	if p.Paths != nil {
		to.Paths = *p.Paths
	}
	done, err := of.Undo(ctx, to, p.Merge, p.DryRun, c.Reserve)
	c.Reserve() // also where there was no event: what is said in words comes behind
	if err != nil {
		return sessionUndoResult{}, err
	}
	return sessionUndoResult{done.Changes, s.conflicts(done.Conflicts)}, nil
}

// conflicts are those of an undo, in the client's language.
func (s *undos) conflicts(left []tool.Conflict) []undoConflict {
	out := []undoConflict{}
	for _, c := range left {
		out = append(out, undoConflict{c.Path, locale.Conflict(s.client.Locale, string(c.Reason), c.With...), c.With})
	}
	return out
}

// sayUndone tells a person without a plugin what came of an undo.
func (s *undos) sayUndone(p sessionUndoParams, out sessionUndoResult) {
	if s.client.marker == nil && !p.DryRun {
		kind, words := undoWords(s.client.Locale, out)
		s.surfaces.Say(kind, surface.Message(words))
	}
}

// mostNamed is how many files a message names.
const mostNamed = 5

// undoWords says what an undo did, and what it left as it is.
func undoWords(lang string, out sessionUndoResult) (kind surface.MessageKind, words string) {
	if len(out.Conflicts) == 0 {
		if len(out.Changes) == 0 {
			return surface.MessageInfo, locale.NothingUndone.In(lang)
		}
		return surface.MessageInfo, locale.Undone(lang, len(out.Changes))
	}
	var left []string
	for i, c := range out.Conflicts {
		if i == mostNamed {
			left = append(left, "…")
			break
		}
		left = append(left, fmt.Sprintf("%s (%s)", c.Path, c.Reason))
	}
	words = locale.LeftAsItIs.In(lang, strings.Join(left, ", "))
	if len(out.Changes) > 0 {
		words = locale.Undone(lang, len(out.Changes)) + " " + words
	}
	return surface.MessageWarning, words
}
