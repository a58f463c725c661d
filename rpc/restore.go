package rpc

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/store"
)

type sessionRestoreParams struct {
	SessionID string      `json:"sessionId"`
	Seq       int64       `json:"seq"`
	Title     *string     `json:"title"`
	DryRun    bool        `json:"dryRun"`
	Confirm   bool        `json:"confirm"`
	Digest    string      `json:"digest"`
	Skip      restoreSkip `json:"skip"`
}

func (p *sessionRestoreParams) Check() error {
	if err := needs("sessionId", p.SessionID); err != nil {
		return err
	}
	switch {
	case p.Seq == 0:
		return wire.Missing("seq")
	case p.Seq < 0:
		return wire.InvalidParams("seq", "is not a seq: they begin with 1")
	case !p.DryRun && !p.Confirm:
		return confirmationRequired("confirm", "files are changed back; see what with dryRun: true, and say confirm: true")
	}
	return oneOf("skip", p.Skip, restoreSkips)
}

type sessionRestoreResult struct {
	Session   *history.Info        `json:"session"`
	Changes   []history.FileChange `json:"changes"`
	Conflicts []undoConflict       `json:"conflicts"`
	Digest    string               `json:"digest"`
}

// sessionRestore goes back to a prompt: a fork that ends before it, and the files as they
// were then. Its events come behind the answer.
func (s *undos) sessionRestore(ctx context.Context, c *wire.Call, p sessionRestoreParams) (sessionRestoreResult, error) {
	done, err := s.store.Restore(ctx, store.Restore{
		SessionID: p.SessionID, Seq: p.Seq, Title: p.Title, DryRun: p.DryRun, Digest: p.Digest, Anyway: p.Skip == skipConflicts,
	}, c.Reserve)
	if err != nil {
		return sessionRestoreResult{}, err
	}
	c.Reserve() // what a session that was made causes comes behind
	return sessionRestoreResult{infoOf(done.Session), done.Changes, s.conflicts(done.Conflicts), done.Digest}, nil
}

// restoreHere goes back for a client without a plugin: to the last prompt of the session where
// none is named. Without a yes it says what would be done.
func (s *commands) restoreHere(ctx context.Context, c *wire.Call, raw json.RawMessage) (any, error) {
	var p sessionRestoreParams
	if err := json.Unmarshal(raw, &p); err != nil { // Check asks for a seq, which a command need not have
		return nil, wire.ParamsError(err)
	}
	all, err := s.store.Prompts(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	if p.Seq == 0 && len(all) > 0 {
		p.Seq = all[len(all)-1].Seq
	}
	p.DryRun = p.DryRun || !p.Confirm
	if err := p.Check(); err != nil {
		return nil, err
	}
	out, err := s.sessionRestore(ctx, c, p)
	if err != nil {
		return nil, err
	}
	if out.Session != nil {
		s.runs.setCurrent(out.Session.ID)
	}
	at := slices.IndexFunc(all, func(one store.Prompt) bool { return one.Seq == p.Seq })
	if s.client.marker == nil && at >= 0 {
		s.surfaces.Say(restoreWords(s.client.Locale, all[at].Title, out))
	}
	return out, nil
}

// restoreWords says what going back did, or would do.
func restoreWords(lang, prompt string, out sessionRestoreResult) (surface.MessageKind, surface.Shown) {
	kind, words := undoWords(lang, sessionUndoResult{out.Changes, out.Conflicts})
	if out.Session != nil {
		return kind, surface.Message(locale.Restored.In(lang, prompt, out.Session.ID) + " " + words)
	}
	var paths []string
	for i, c := range out.Changes {
		if i == mostNamed {
			paths = append(paths, "…")
			break
		}
		paths = append(paths, c.Path)
	}
	words = locale.WouldRestore.In(lang, prompt, strings.Join(paths, ", "))
	if len(paths) == 0 {
		words = locale.WouldGoBack.In(lang, prompt)
	}
	if len(out.Conflicts) > 0 {
		_, left := undoWords(lang, sessionUndoResult{nil, out.Conflicts})
		return surface.MessageWarning, surface.Message(words + " " + left)
	}
	return surface.MessageInfo, surface.Message(words)
}

// infoOf is what is told of a session, if there is one.
func infoOf(of *session.Session) *history.Info {
	if of == nil {
		return nil
	}
	info := of.Info()
	return &info
}
