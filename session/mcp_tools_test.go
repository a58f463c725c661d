package session

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// comeAndGo are tools of a server, described by words.
func comeAndGo(says string, names ...string) (tools []tool.Tool) {
	for _, name := range names {
		spec := tool.Spec{Name: name, Description: says, Schema: json.RawMessage(`{"type":"object"}`), Effect: tool.Net}
		tools = append(tools, tool.ThirdParty(spec, func(json.RawMessage) (*tool.Plan, error) { return &tool.Plan{Title: says}, nil }))
	}
	return tools
}

// The MCP tools of a session are those of its first request until it is compacted, with the
// same words; what is behind them is what is there now.
func TestToolsOfServersStay(t *testing.T) {
	kept := keptTools{}
	names := func(compactions int, tools []tool.Tool) string {
		return strings.Join(tool.NewSet(kept.of(tools, compactions, 2, 0)...).Names(), " ")
	}
	first := comeAndGo("first", "search", "mcp__a__x", "mcp__a__y")
	for _, row := range []struct {
		compactions int
		tools       []tool.Tool
		want        string
	}{
		{0, first, "search mcp__a__x mcp__a__y"},
		{0, comeAndGo("later", "issue", "mcp__b__new", "mcp__a__y", "mcp__c__x"), "issue mcp__a__x mcp__a__y"},
		{0, nil, "mcp__a__x mcp__a__y"},
		{1, comeAndGo("later", "mcp__b__new"), "mcp__b__new"},
		{1, first, "search mcp__b__new"},
		{2, comeAndGo("", "mcp__a__x", "mcp__a__y", "mcp__a__z"), ""}, // more than 2
		{2, first, "search"},
	} {
		if got := names(row.compactions, row.tools); got != row.want {
			t.Errorf("%d: %q, not %q", row.compactions, got, row.want)
		}
	}
	kept = keptTools{}
	kept.of(first, 0, 2, 0)
	now := kept.of(comeAndGo("later", "mcp__a__x"), 0, 2, 0)[0]
	plan, err := now.Plan(json.RawMessage(`{}`))
	if now.Spec().Description != "first" || err != nil || plan.Title != "later" {
		t.Errorf("%q %+v %v", now.Spec().Description, plan, err)
	}
}

func TestToolsOfServersNeedRoom(t *testing.T) {
	tools := comeAndGo(strings.Repeat("x", 1000), "mcp__a__1", "mcp__a__2", "mcp__a__3", "mcp__a__4", "mcp__a__5")
	var large []tool.Tool
	for i := range 50 {
		large = append(large, comeAndGo(strings.Repeat("x", 1000), fmt.Sprint("mcp__a__", i))...)
	}
	for _, row := range []struct {
		tools  []tool.Tool
		most   int
		window int64
		fits   bool
	}{
		{tools, 5, 0, true}, {tools, 4, 0, false}, {nil, 0, 0, true}, {tools, 0, 0, false},
		{tools, 5, 10_000, true}, {tools, 5, 8_000, false},
		{large, 50, 0, false}, {large[:40], 50, 0, true},
	} {
		if got := fitsInPrompt(row.tools, row.most, row.window); got != row.fits {
			t.Errorf("%d tools, at most %d, window %d: %v", len(row.tools), row.most, row.window, got)
		}
	}
}
