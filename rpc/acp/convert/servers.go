package convert

import (
	"encoding/json"
	"fmt"

	v1 "github.com/agent-sidecar/agent-sidecar/rpc/acp/v1"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

// Servers are MCP servers of the client as the sidecar's configuration has them.
func Servers(servers []v1.MCPServer) (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	for i, s := range servers {
		var name string
		config := map[string]any{}
		switch {
		case s.Stdio != nil:
			env := map[string]string{}
			for _, v := range s.Stdio.Env {
				env[v.Name] = v.Value
			}
			name = s.Stdio.Name
			config["command"], config["env"] = append([]string{s.Stdio.Command}, s.Stdio.Args...), env
		case s.HTTP != nil:
			headers := map[string]string{}
			for _, h := range s.HTTP.Headers {
				headers[h.Name] = h.Value
			}
			name = s.HTTP.Name
			config["url"], config["headers"] = s.HTTP.URL, headers
		default:
			return nil, wire.InvalidParams(fmt.Sprintf("mcpServers.%d", i), "is of a kind that is not supported; use a program or http")
		}
		raw, err := json.Marshal(config)
		if err != nil {
			return nil, err
		}
		out[name] = raw
	}
	return out, nil
}
