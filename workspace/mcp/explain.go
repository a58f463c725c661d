package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// ToExplain is in for a tool of a configured server that does not run, so
// that a question about it starts nothing: it is judged as the tool would be and
// cannot be run. Whether the server has such a tool nobody knows here. Not ok:
// the name is none that a tool of these servers can have.
func ToExplain(config []Server, name string) (t tool.Tool, ok bool) {
	full, isOurs := strings.CutPrefix(name, tool.MCPPrefix)
	as, own, _ := strings.Cut(full, "__")
	i := slices.IndexFunc(config, func(s Server) bool { return written(s.Name, config) == as })
	if !isOurs || i < 0 || nameOf(as, own) != name {
		return nil, false
	}
	server := config[i].Name
	spec := tool.Spec{Name: name, Schema: json.RawMessage(`{"type":"object"}`), Effect: tool.Net}
	return tool.ThirdParty(spec, func(json.RawMessage) (*tool.Plan, error) {
		return &tool.Plan{
			Title:   server + ": " + own,
			Targets: []tool.Target{{Domain: tool.DomainMCP, Object: "mcp:" + server + "/" + own}},
			Run: func(context.Context, tool.Grant, tool.Sink) (tool.Result, error) {
				return tool.Failed(errors.New("the server does not run")), nil
			},
		}, nil
	}), true
}
