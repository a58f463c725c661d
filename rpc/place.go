package rpc

import (
	"cmp"
	"context"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
)

// placer says where the sessions of a client work, and lets a client without a plugin
// choose.
type placer struct {
	runs     *runs
	sessions *sessions
	all      Runners
}

func (s *placer) names() (names []string) {
	for _, r := range s.all.All() {
		names = append(names, r.Name)
	}
	return names
}

// Places implements surface.Elsewhere.
func (s *placer) Places() (runners []string, now string) {
	id := s.runs.currentID()
	for _, of := range s.runs.store.Live() {
		if of.ID() == id {
			now = of.Info().Runner
		}
	}
	return s.names(), now
}

type setRunnerParams struct {
	SessionID string `json:"sessionId"`
	Runner    string `json:"runner"`
}

func (p *setRunnerParams) Check() error { return needs("runner", p.Runner) }

// setRunner puts the current session on a runner, or back on this machine. Where there is no
// session yet the next prompt is given to the one that is made for it.
func (s *placer) setRunner(ctx context.Context, c *wire.Call, p setRunnerParams) (out sessionUpdateResult, err error) {
	if p.Runner == session.Local {
		p.Runner = ""
	} else if names := s.names(); !slices.Contains(names, p.Runner) {
		return out, &session.RunnerError{Runner: p.Runner, Names: names}
	}
	id := cmp.Or(p.SessionID, s.runs.currentID())
	if id == "" {
		made, err := s.sessions.sessionNew(ctx, c, sessionNewParams{})
		if err != nil {
			return out, err
		}
		id = made.Session.ID
		s.runs.setCurrent(id)
	}
	out, err = s.sessions.sessionUpdate(ctx, c, sessionUpdateParams{SessionID: id, Runner: &p.Runner})
	if err == nil {
		s.runs.surfaces.TellPlace(id, p.Runner, out.Applied["runner"] != "now")
	}
	return out, err
}
