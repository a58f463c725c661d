package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/tool"
	jsonexp "github.com/go-json-experiment/json"
	"github.com/tailscale/hujson"
)

// ToolFile is a `tool.jsonc`: an external tool.
type ToolFile struct {
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	// Domain is a further permission domain, "" for none: the tool is then also
	// judged by Object there, and the strictest decides.
	Domain tool.Domain `json:"domain"`
	// Command may begin with "./", which is the tool's own directory.
	Command   []string `json:"command"`
	TimeoutMs int      `json:"timeoutMs"` // 0 means 120000
}

// toolDomains are the domains a tool may say it belongs to, with what stands for
// all of that domain: nobody knows which files or hosts a foreign program will
// touch.
var toolDomains = map[tool.Domain]string{
	tool.DomainRead: "vault:/", tool.DomainEdit: "vault:/", tool.DomainBash: "shell:", tool.DomainWebFetch: "url:", tool.DomainWebSearch: "query:",
	tool.DomainMCP: "mcp:", tool.DomainTool: "",
}

// Object is what the rules of Domain judge for the tool of that name; "" where
// Domain adds nothing.
func (f ToolFile) Object(name string) string {
	switch of := toolDomains[f.Domain]; f.Domain {
	case "", tool.DomainTool:
		return ""
	case tool.DomainRead, tool.DomainEdit:
		return of
	case tool.DomainBash:
		return of + strings.Join(f.Command, " ")
	default:
		return of + "tool/" + name
	}
}

// ReadToolFile parses the text of a tool.jsonc. ok is false where the tool cannot
// be loaded; the diagnostics, which name the places but no file, then say why.
func ReadToolFile(text []byte) (f ToolFile, found []Diagnostic, ok bool) {
	d := &document{source: "tools", text: []byte(strings.TrimPrefix(string(text), string(byteOrderMark)))}
	fail := func(line, column int, format string, args ...any) (ToolFile, []Diagnostic, bool) {
		return ToolFile{}, append(d.diagnostics, Diagnostic{Source: d.source, Line: line, Column: column, Severity: "error",
			Message: fmt.Sprintf(format, args...) + "; the tool is not loaded"}), false
	}
	root, err := parseJSONC(text)
	if p, is := err.(placed); is {
		return fail(p.line, p.column, "%v", p.err)
	}
	object, isObject := root.Value.(*hujson.Object)
	if err != nil || !isObject {
		return fail(1, 1, "tool.jsonc must be an object")
	}
	line, column, _ := d.place(root.StartOffset)
	for i := range object.Members {
		m := &object.Members[i]
		if name := m.Name.Value.(hujson.Literal).String(); !slices.Contains(toolMembers, name) {
			d.say("warning", m.Name.StartOffset, "unknown key %q", name)
		}
	}
	plain := root.Clone()
	plain.Standardize()
	if err := jsonexp.Unmarshal(plain.Pack(), &f); err != nil {
		return fail(line, column, "tool.jsonc cannot be read: %v", err)
	}
	where := func(name string) (int, int) {
		if v := member(object, name); v != nil {
			line, column, _ := d.place(v.StartOffset)
			return line, column
		}
		return line, column
	}
	_, known := toolDomains[f.Domain]
	switch {
	case strings.TrimSpace(f.Description) == "":
		line, column = where("description")
		return fail(line, column, "description is missing: without it no model knows when to use the tool")
	case len(f.Schema) > 0 && f.Schema[0] != '{':
		line, column = where("schema")
		return fail(line, column, "schema must be an object")
	case f.Domain != "" && !known:
		line, column = where("domain")
		return fail(line, column, "there is no permission domain %q that a tool could have", control.Title(string(f.Domain), 60))
	case f.TimeoutMs < 0 || f.TimeoutMs > maxCallMs:
		line, column = where("timeoutMs")
		return fail(line, column, "timeoutMs must be from 1 to %d", maxCallMs)
	}
	program := slices.Clone(f.Command)
	if len(program) > 0 && strings.HasPrefix(program[0], "./") && !strings.Contains(program[0], "..") {
		program[0] = "/" + program[0] // in the tool's own directory
	}
	if err := checkCommand(program, nil); err != nil {
		line, column = where("command")
		return fail(line, column, "%v", err)
	}
	return f, d.diagnostics, true
}

// toolMembers are what a tool.jsonc may say.
var toolMembers = []string{"description", "schema", "domain", "command", "timeoutMs"}
