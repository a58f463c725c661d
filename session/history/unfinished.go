package history

import "github.com/agent-sidecar/agent-sidecar/control"

// CloseCalls is what gives each open call its one result, in order: a call that
// was never judged is requested first, as every call is before it returns.
func (t *Transcript) CloseCalls(status Status, text string) []Body {
	var out []Body
	for _, c := range t.OpenCalls {
		if !t.requested[c.CallID] {
			out = append(out, ToolRequested{CallID: c.CallID, Tool: c.Tool, Input: c.Input, Title: control.Title(c.Tool, 120)})
		}
		out = append(out, ToolReturned{CallID: c.CallID, Tool: c.Tool, Status: status, Text: text})
	}
	return out
}
