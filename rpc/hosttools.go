package rpc

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// HostTool is a tool, or a sub-agent, that the client has itself.
type HostTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	ReadOnly    bool            `json:"readOnly"`
	Agents      []string        `json:"agents"`
	Task        bool            `json:"-"`
}

// What a client may declare.
const (
	mostHostTools   = 64 // tools and sub-agents together
	hostName        = 40 // bytes
	hostDescription = 4 << 10
	hostSchema      = 32 << 10
	mostRefused     = 5 // that are told one by one
)

// hostTools are those of the client that can be used. Each that cannot is refused by itself,
// with the reason.
func hostTools(declaredTools, declaredTasks json.RawMessage) (tools []HostTool, refused []said.Text) {
	taken := map[string]bool{}
	for _, declared := range []struct {
		raw  json.RawMessage
		task bool
	}{{declaredTools, false}, {declaredTasks, true}} {
		if len(declared.raw) == 0 || string(declared.raw) == "null" {
			continue
		}
		var list []json.RawMessage
		if json.Unmarshal(declared.raw, &list) != nil {
			refused = append(refused, said.That("The editor offers tools of its own, but not as a list; none of them is used."))
			continue
		}
		for i, raw := range list {
			one := HostTool{Task: declared.task}
			why := said.That("it cannot be read")
			if json.Unmarshal(raw, &one) == nil {
				why = one.check(taken)
			}
			if why.IsZero() && len(tools) == mostHostTools {
				why = said.That("there are more than %d", mostHostTools)
			}
			if !why.IsZero() {
				refused = append(refused, said.That("The editor's own tool %s is not used: %s.", one.called(i), why))
				continue
			}
			taken[strings.ToLower(one.Name)] = true
			tools = append(tools, one)
		}
	}
	return tools, refused
}

// called is what a declaration is called where it is refused.
func (h HostTool) called(index int) string {
	if name := control.Title(h.Name, hostName); name != "" {
		return name
	}
	return fmt.Sprintf("[%d]", index)
}

// check says what is wrong with a declaration. taken has the names of others, in small letters.
func (h HostTool) check(taken map[string]bool) said.Text {
	if h.Name == "" || len(h.Name) > hostName || tool.PlainName(h.Name, hostName) != h.Name || strings.Contains(h.Name, ".") {
		return said.That("a name has at most %d letters, digits, _ and -", hostName)
	}
	if taken[strings.ToLower(h.Name)] {
		return said.That("another one has that name")
	}
	if strings.TrimSpace(h.Description) == "" || len(h.Description) > hostDescription {
		return said.That("a description is needed, of at most %d bytes", hostDescription)
	}
	if h.Task {
		return said.Text{}
	}
	var schema map[string]json.RawMessage
	if len(h.InputSchema) > hostSchema || json.Unmarshal(h.InputSchema, &schema) != nil || string(schema["type"]) != `"object"` {
		return said.That("inputSchema must be a JSON Schema of the type object, of at most %d bytes", hostSchema)
	}
	return said.Text{}
}
