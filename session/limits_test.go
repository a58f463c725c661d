package session

import (
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

func TestLimits(t *testing.T) {
	h := newHouse(t)
	s := h.session(t)
	n, big := 7, int64(9)
	for name, row := range map[string]struct {
		asked *history.Limits
		agent config.Agent
		child bool
		turns limit
		wall  limit
	}{
		"configured":          {nil, config.Agent{}, false, configured(200), configured(0)},
		"asked":               {&history.Limits{MaxTurns: &n, WallMs: &big}, config.Agent{}, false, given(7), given(9)},
		"the agent's":         {nil, config.Agent{Budget: config.Budget{MaxTurns: 5}}, false, configured(5), configured(0)},
		"the agent's, larger": {nil, config.Agent{Budget: config.Budget{MaxTurns: 500}}, false, configured(200), configured(0)},
		"asked for an agent":  {&history.Limits{MaxTurns: &n}, config.Agent{Budget: config.Budget{MaxTurns: 5}}, false, given(7), configured(0)},
		"a sub-agent's":       {nil, config.Agent{}, true, given(30), given(600_000)},
		"a brief sub-agent's": {nil, config.Agent{Budget: config.Budget{MaxTurns: 29, WallMs: 599_999}}, true, given(29), given(599_999)},
		"a long sub-agent's":  {nil, config.Agent{Budget: config.Budget{MaxTurns: 500, WallMs: 600_001}}, true, given(30), given(600_000)},
	} {
		of := s
		if row.child {
			of = s.childAt("1", history.Origin{Session: s.id})
		}
		if l := of.worker.limitsOf(row.asked, row.agent); l.turns != row.turns || l.wall != row.wall {
			t.Errorf("%s: %+v", name, l)
		}
	}
}
