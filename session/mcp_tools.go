package session

import (
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

const (
	// mostMCPBytes is how large the descriptions of the MCP tools in a request may be together,
	// and mcpShare how many percent of a window that is known they may take.
	mostMCPBytes = 48 << 10
	mcpShare     = 20
)

// keptTools are the tools of MCP servers that a session has in its requests. They stay as
// they are until the conversation is compacted: a provider keeps the beginning of a prompt
// that does not change. What comes later is called by mcp_call.
type keptTools struct {
	known       bool
	compactions int
	tools       []tool.Tool
}

// of leaves of all that come and go those that a session has: all that are no MCP tools,
// and the MCP tools that it began with. Of each the present one counts, described as it was.
func (k *keptTools) of(all []tool.Tool, compactions, most int, window int64) []tool.Tool {
	var others, servers []tool.Tool
	for _, t := range all {
		if strings.HasPrefix(t.Spec().Name, tool.MCPPrefix) {
			servers = append(servers, t)
		} else {
			others = append(others, t)
		}
	}
	if !k.known || k.compactions != compactions {
		*k = keptTools{known: true, compactions: compactions}
		if fitsInPrompt(servers, most, window) {
			k.tools = servers
		}
	}
	for _, was := range k.tools {
		now := was
		if i := slices.IndexFunc(servers, func(t tool.Tool) bool { return t.Spec().Name == was.Spec().Name }); i >= 0 {
			now = servers[i]
		}
		others = append(others, describedAs{now, was.Spec()})
	}
	return others
}

// fitsInPrompt says whether tools may be in each request: they are no more than a person
// wants there, and leave room for a conversation.
func fitsInPrompt(tools []tool.Tool, most int, window int64) bool {
	size := sizeOfTools(tool.NewSet(tools...))
	return len(tools) <= most && size <= mostMCPBytes && (window <= 0 || size/3*100 <= window*mcpShare)
}

// describedAs is a tool as a model was told of it.
type describedAs struct {
	tool.Tool
	spec tool.Spec
}

// Spec implements tool.Tool.
func (d describedAs) Spec() tool.Spec { return d.spec }
