package history

import (
	"slices"
	"strings"
)

// Heard is where text of a conversation came from, beside the person and the model. It
// counts over summaries, which are made of that text.
type Heard struct{ Files, Web, MCP bool } // MCP: or a tool of the editor's own

// silentTools give back nothing that somebody else has written.
var silentTools = strings.Fields("memory memory_search tasks_list tasks_update compact write delete move job_kill")

// serverTools give back what MCP servers say, beside the tools of those.
var serverTools = strings.Fields("mcp_call tool_search")

// hear adds what the result of a tool may contain. Of one that nobody knows that is text of
// files.
func (h *Heard) hear(tool string) {
	switch {
	case tool == "web_fetch" || tool == "web_search":
		h.Web = true
	case strings.HasPrefix(tool, "mcp__"), strings.HasPrefix(tool, "host__"), slices.Contains(serverTools, tool):
		h.MCP = true
	case !slices.Contains(silentTools, tool):
		h.Files = true
	}
}

// Words are the names of the sources, in a fixed order.
func (h Heard) Words() (out []string) {
	for _, s := range []struct {
		is   bool
		name string
	}{{h.Files, "files"}, {h.Web, "web"}, {h.MCP, "MCP"}} {
		if s.is {
			out = append(out, s.name)
		}
	}
	return out
}
