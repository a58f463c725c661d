package rpc

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// configChanged is what a client shows without asking: the model of new sessions,
// "" where none is set up, and the names to choose from. Whoever shows more of the
// configuration asks for it again.
type configChanged struct {
	Model  string   `json:"model"`
	Models []string `json:"models"`
}

const configChangedType = "config.changed"

// configShown is what clients show of the configuration, as one text to compare; "" for
// one that takes no such event. What an answer writes is not in it: the client that
// gave it knows, and others see what became of the question.
func (s *Server) configShown() string {
	if !s.client.wants(configChangedType) {
		return ""
	}
	now := s.back.Config.Settings()
	values := now.Shown()
	maps.DeleteFunc(values, func(key string, _ json.RawMessage) bool {
		return key == "agents.runtime.permission.rules" || strings.HasPrefix(key, "trust.")
	})
	rules := []string{}
	for _, line := range ruleLines(now) {
		if !strings.HasPrefix(line, "always ") {
			rules = append(rules, line)
		}
	}
	agents := []agentInfo{}
	for _, a := range now.Agents {
		agents = append(agents, agentInfo{a.Name, a.Description, a.ReadOnly, a.Mode})
	}
	raw, _ := json.Marshal([]any{values, rules, agents, now.Diagnostics, s.back.Lists.Models()}) // it always encodes
	return string(raw)
}

// tellConfig tells a client that takes events when what it shows is not so any more.
// before is what it was told last; the result is what it knows now.
func (s *Server) tellConfig(before string) string {
	now := s.configShown()
	if now == before {
		return now
	}
	data := configChanged{Models: nonNil(s.back.Lists.Models())}
	if len(data.Models) > 0 {
		data.Model = data.Models[0]
	}
	raw, err := wire.EncodeJSON(data)
	if err == nil {
		err = s.conn.Notify(wire.EventMethod, history.WireEvent{Time: wireTime(), Type: configChangedType, Data: raw})
	}
	if err != nil {
		s.report("tell of the configuration", err)
	}
	return now
}
