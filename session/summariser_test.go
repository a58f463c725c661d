package session

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/model"
)

// Who writes a summary: the configured model, else the run's own; where the
// conversation is too long for that, the one of the run before. Bypass: a model
// that the agent may not work with would be shown its conversation all the same.
func TestSummariser(t *testing.T) {
	windows := map[string]int64{"p/small": 10_000, "p/large": 100_000, "p/cheap": 10_000, "p/unknown": 0}
	local := config.Agent{AllowedModels: []string{"p/small"}}
	for name, row := range map[string]struct {
		configured, before string
		agent              config.Agent
		tokens             int64
		want               string
	}{
		"the run's own":                         {"", "p/small", config.Agent{}, 5000, "p/small"},
		"the configured one":                    {"p/cheap", "p/large", config.Agent{}, 9000, "p/cheap"},
		"one that cannot be opened":             {"p/gone", "", config.Agent{}, 5000, "p/small"},
		"it fits, n":                            {"", "p/large", config.Agent{}, 8000, "p/small"},
		"it does not, n+1":                      {"", "p/large", config.Agent{}, 8001, "p/large"},
		"the one before is no larger":           {"", "p/cheap", config.Agent{}, 8001, "p/small"},
		"its window is not known":               {"", "p/unknown", config.Agent{}, 8001, "p/unknown"},
		"the one before is gone":                {"", "p/gone", config.Agent{}, 8001, "p/small"},
		"bypass: a configured one, not allowed": {"p/cheap", "", local, 5000, "p/small"},
		"bypass: the one before, not allowed":   {"", "p/large", local, 8001, "p/small"},
	} {
		h := newHouse(t)
		s := h.session(t)
		h.around.openModel = func(name string, _ []string) (model.Model, error) {
			window, ok := windows[name]
			if !ok {
				return nil, errors.New("no such model")
			}
			return named{model.Info{Name: name, Window: window}}, nil
		}
		h.deps.Config.Settings().Compaction.Model = row.configured
		stateOf(s).ModelBefore = row.before
		own, _ := h.around.openModel("p/small", nil)
		r := &run{model: own, agent: row.agent}
		r.prompt.Model = "p/small"
		if got := s.worker.room.summariser(r, replacing{used: row.tokens}).Info().Name; got != row.want {
			t.Errorf("%s: %s writes it, want %s", name, got, row.want)
		}
	}
}

// named is a model that is never asked.
type named struct{ info model.Info }

func (m named) Info() model.Info { return m.info }

func (m named) Stream(context.Context, model.Request) iter.Seq2[model.Part, error] {
	return func(func(model.Part, error) bool) {}
}
