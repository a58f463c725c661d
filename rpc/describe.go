package rpc

import (
	"context"
	"encoding/json"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
)

type describeResult struct {
	MetaModel json.RawMessage `json:"metaModel"`
	Tools     []toolInfo      `json:"tools"`
	Agents    []agentInfo     `json:"agents"`
	Models    []string        `json:"models"`
	Commands  []string        `json:"commands"`
	Defaults  defaults        `json:"defaults"`
}

// defaults are what holds where systemPrompt.mode is default: the identity, and no
// parameter at all. A settings view starts a custom prompt from it.
type defaults struct {
	SystemPrompt string       `json:"systemPrompt"`
	Params       model.Params `json:"params"`
}

type toolInfo struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Effect      string          `json:"effect"`
	Schema      json.RawMessage `json:"schema"`
}

// describe says what there is: the protocol, the tools, the agents, the models
// and the commands.
func (s *Server) describe(context.Context, *wire.Call, wire.None) (describeResult, error) {
	out := describeResult{MetaModel: s.opt.Schema, Tools: []toolInfo{}, Agents: s.agents(), Models: nonNil(s.back.Lists.Models()), Commands: s.commandNames(), Defaults: defaults{SystemPrompt: session.DefaultSystemPrompt()}}
	if len(out.MetaModel) == 0 {
		out.MetaModel = json.RawMessage("{}")
	}
	for _, t := range s.back.Tools() {
		out.Tools = append(out.Tools, toolInfo{t.Name, t.Description, t.Effect.String(), t.Schema})
	}
	return out, nil
}

// agentInfo is an agent as a client shows it. Mode is "primary", which a session
// or a run can name, or "subagent", which `task` sends, or a run in a session of
// another agent.
type agentInfo struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	ReadOnly    bool   `json:"readOnly"`
	Mode        string `json:"mode"`
}

// agents are those there are now: a file that was written meanwhile counts.
func (s *Server) agents() []agentInfo {
	s.back.Config.Reload()
	agents := []agentInfo{}
	for _, a := range s.back.Config.Settings().Agents {
		agents = append(agents, agentInfo{a.Name, a.Description, a.ReadOnly, a.Mode})
	}
	return agents
}
