package main

import (
	"context"
	"encoding/json"

	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/host"
)

// hostEditor has the editor run its own tools.
type hostEditor struct{ *rpc.Editor }

// CallTool implements host.Editor.
func (e hostEditor) CallTool(ctx context.Context, callID, name string, input json.RawMessage) (host.Answer, error) {
	text, failed, err := e.Editor.CallTool(ctx, callID, name, input)
	return host.Answer{Text: text, Failed: failed}, err
}

// RunTask implements host.Editor.
func (e hostEditor) RunTask(ctx context.Context, callID, name, prompt string) (host.Answer, error) {
	text, failed, err := e.Editor.RunTask(ctx, callID, name, prompt)
	return host.Answer{Text: text, Failed: failed}, err
}

// hostTools are the editor's own.
func hostTools(ws rpc.Workspace) []tool.Tool {
	var out []host.Declaration
	for _, d := range ws.HostTools {
		out = append(out, host.Declaration{Name: d.Name, Description: d.Description, Schema: d.InputSchema, ReadOnly: d.ReadOnly, Agents: d.Agents, Task: d.Task})
	}
	return host.Tools(hostEditor{ws.Editor}, out)
}
