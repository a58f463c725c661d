package mcp

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
)

//go:embed mcp_call.md
var callDescription string

//go:embed tool_search.md
var searchDescription string

const (
	// mostFound is how many tools a search describes, and foundBytes how long all of it may
	// be: what is shown of a schema must be the whole schema.
	mostFound  = 8
	foundBytes = 40 << 10
	// mostListed is how many are listed by name alone.
	mostListed = 200
	// shownSchema is how much of a schema an error shows, in bytes.
	shownSchema = 4 << 10
)

// OnDemand are the tools that find and call those of all servers, which need not be in the
// list of a model. Without a server there are none.
func (m *Servers) OnDemand(config []Server) []tool.Tool {
	if len(config) == 0 {
		return nil
	}
	return []tool.Tool{m.searchTool(), m.callTool()}
}

type callArgs struct {
	Server string          `json:"server"`
	Tool   string          `json:"tool"`
	Input  json.RawMessage `json:"input,omitempty"`
}

const callSchema = `{"type":"object","properties":{"server":{"type":"string","description":"name of the server"},"tool":{"type":"string","description":"the server's own name of the tool"},"input":{"type":"object","description":"the arguments of the tool, as its schema wants them"}},"required":["server","tool"],"additionalProperties":false}`

// callTool leads to the tool that it names.
func (m *Servers) callTool() tool.Tool {
	spec := tool.Spec{Name: tool.MCPCall, Description: strings.TrimSpace(callDescription), Schema: json.RawMessage(callSchema), Effect: tool.Net}
	return tool.Via(spec, func(in callArgs) (tool.Routed, error) {
		s, err := m.named(in.Server)
		if err != nil {
			return tool.Routed{}, err
		}
		d, found := s.find(in.Tool)
		if !found {
			return tool.Routed{}, s.unknown(in.Tool)
		}
		back := func(input json.RawMessage) json.RawMessage {
			raw, err := json.Marshal(callArgs{s.config.Name, d.own, input})
			if err != nil {
				return input
			}
			return raw
		}
		return tool.Routed{Tool: explained{s.tool(d)}, Input: object(in.Input), Back: back}, nil
	})
}

// object is the input of a call where a model wrote it as a text.
func object(input json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(input, &text) == nil && strings.HasPrefix(strings.TrimSpace(text), "{") {
		return json.RawMessage(text)
	}
	return input
}

// explained is a tool that a model may not have in its list: what is wrong with its
// arguments comes with their schema.
type explained struct{ tool.Tool }

// Plan implements tool.Tool.
func (e explained) Plan(args json.RawMessage) (*tool.Plan, error) {
	p, err := e.Tool.Plan(args)
	if err == nil {
		return p, nil
	}
	schema := output.Visible(string(e.Spec().Schema))
	if len(schema) > shownSchema {
		return nil, fmt.Errorf("%w. Its schema is long; %s shows it", err, tool.ToolSearch)
	}
	return nil, fmt.Errorf("%w. Its schema: %s", err, schema)
}

// named is a server by its name.
func (m *Servers) named(name string) (*server, error) {
	all := m.all()
	var names []string
	for _, s := range all {
		if s.config.Name == name {
			return s, nil
		}
		names = append(names, s.config.Name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there is no MCP server %q; none runs", output.OneLine(name))
	}
	return nil, fmt.Errorf("there is no MCP server %q; there are: %s", output.OneLine(name), strings.Join(names, ", "))
}

// find is a tool by the server's name for it, or by that of a model's list.
func (s *server) find(name string) (definition, bool) {
	if d, found := s.definition(name); found {
		return d, true
	}
	all := s.described()
	i := slices.IndexFunc(all, func(d definition) bool { return d.spec.Name == name })
	if i < 0 {
		return definition{}, false
	}
	return all[i], true
}

// unknown says that the server has no such tool, and what it has or why it has none.
func (s *server) unknown(name string) error {
	var names []string
	for _, d := range s.described() {
		names = append(names, output.OneLine(d.own))
	}
	if len(names) == 0 {
		return fmt.Errorf("the server %s has no tools now: %s", s.config.Name, cmp.Or(s.trouble(), "it is starting"))
	}
	more := ""
	if len(names) > 40 {
		names, more = names[:40], ", …"
	}
	return fmt.Errorf("the server %s has no tool %q; it has: %s%s", s.config.Name, output.OneLine(name), strings.Join(names, ", "), more)
}

type searchArgs struct {
	Query  string `json:"query,omitempty" jsonschema:"words of names and descriptions; none lists all names"`
	Server string `json:"server,omitempty" jsonschema:"only of this server"`
}

// searchTool finds tools. What it gives back is the servers' text.
func (m *Servers) searchTool() tool.Tool {
	spec := tool.Spec{Name: tool.ToolSearch, Description: strings.TrimSpace(searchDescription), Effect: tool.Read}
	return tool.Define(spec, func(in searchArgs) (*tool.Plan, error) {
		return &tool.Plan{
			Title:   "search tools: " + output.OneLine(cmp.Or(in.Query, "all")),
			Targets: []tool.Target{{Domain: tool.DomainInternal, Object: "internal:" + tool.ToolSearch}},
			Run: func(ctx context.Context, _ tool.Grant, _ tool.Sink) (tool.Result, error) {
				servers := m.all()
				if in.Server != "" {
					s, err := m.named(in.Server)
					if err != nil {
						return tool.Failed(err), nil
					}
					servers = []*server{s}
				}
				allListed(ctx, servers...)
				return foreignText(tool.Result{Text: found(servers, in.Query)}), nil
			},
		}, nil
	})
}

// allListed waits, 5 s at most, until servers that run have said all that they have.
func allListed(ctx context.Context, servers ...*server) {
	ctx, cancel := context.WithTimeout(ctx, backWait)
	defer cancel()
	for _, s := range servers {
		s.await(ctx, func() bool { return s.link == nil || s.has.known })
	}
}

// match is a tool that a search has found.
type match struct {
	definition
	server string
	score  int
}

// found is what a search gives back.
func found(servers []*server, query string) string {
	words := strings.Fields(strings.ToLower(query))
	var all []match
	var b strings.Builder
	for _, s := range servers {
		if why := s.trouble(); why != "" {
			fmt.Fprintf(&b, "The server %s has a problem: %s\n", s.config.Name, output.OneLine(why))
		}
		for _, d := range s.described() {
			if n := score(d, words); n > 0 || len(words) == 0 {
				all = append(all, match{d, s.config.Name, n})
			}
		}
	}
	named := namedBy(resourcesOf(servers), words)
	slices.SortStableFunc(all, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	switch {
	case len(all) == 0 && named != "":
	case len(all) == 0:
		b.WriteString("No tool fits. Other words may, or no query, which lists all names.\n")
	case len(words) == 0:
		list(&b, all)
	default:
		describe(&b, all)
	}
	b.WriteString(named)
	return strings.TrimRight(b.String(), "\n")
}

// namedBy lists the resources that have one of the words in their names.
func namedBy(all []Resource, words []string) string {
	var b strings.Builder
	n := 0
	for _, r := range all {
		says := strings.ToLower(r.Path + " " + r.Name + " " + r.Description)
		if len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(says, w) }) {
			continue
		}
		if n++; n <= mostNamed {
			fmt.Fprintf(&b, "resource: %s (%s)\n", r.Path, r.Name)
		}
	}
	if n > mostNamed {
		fmt.Fprintf(&b, "… and %d more resources\n", n-mostNamed)
	}
	return b.String()
}

// score is how well a tool fits the words; 0 is not at all.
func score(d definition, words []string) (n int) {
	name := strings.ToLower(d.own)
	says := strings.ToLower(d.says[:min(len(d.says), serverWords)])
	for _, w := range words {
		switch {
		case name == w || strings.ToLower(d.spec.Name) == w:
			n += 10
		case strings.Contains(name, w):
			n += 3
		case strings.Contains(says, w):
			n++
		}
	}
	return n
}

// list is all by name.
func list(b *strings.Builder, all []match) {
	for _, m := range all[:min(len(all), mostListed)] {
		fmt.Fprintf(b, "%s: %s\n", m.server, output.OneLine(m.own))
	}
	if more := len(all) - mostListed; more > 0 {
		fmt.Fprintf(b, "… and %d more; search for words\n", more)
	}
}

// describe is the best with all that a call needs, as many as there is room for.
func describe(b *strings.Builder, all []match) {
	shown := 0
	for _, m := range all[:min(len(all), mostFound)] {
		text := fmt.Sprintf("server: %s\ntool: %s\n%s\ninput: %s\n\n", m.server, output.OneLine(m.own), m.spec.Description, output.Visible(string(m.spec.Schema)))
		if b.Len()+len(text) > foundBytes && shown > 0 {
			break
		}
		b.WriteString(text)
		shown++
	}
	if rest := all[shown:]; len(rest) > 0 {
		fmt.Fprintf(b, "%d more fit:\n", len(rest))
		list(b, rest[:min(len(rest), mostListed-mostFound)])
	}
}
