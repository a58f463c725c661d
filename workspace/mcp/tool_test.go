package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

func TestCall(t *testing.T) {
	_, echo, _ := one(t, "well")
	spec := echo.Spec()
	if spec.Name != "mcp__bad__echo" || spec.Effect != tool.Net || !strings.Contains(spec.Description, "«Says it again.»") {
		t.Errorf("%+v", spec)
	}
	p := outputtest.Plan(t, echo, `{"b": 12345678901234567890, "a": "x"}`)
	if len(p.Targets) != 1 || p.Targets[0] != (tool.Target{Domain: "mcp", Object: "mcp:bad/echo"}) || !p.Why.IsZero() || p.Title != "bad: echo" || len(p.Base) != 1 {
		t.Errorf("%+v", p)
	}
	shown, err := p.Preview(t.Context(), tool.Grant{})
	if err != nil || !strings.Contains(shown.Text, `"b": 12345678901234567890`) || !strings.Contains(shown.Text, "Says it again.") {
		t.Errorf("%+v %v", shown, err)
	}
	r, err := outputtest.Allowed(t.Context(), p, &outputtest.Kept{})
	if err != nil || r.Text != `echo {"a":"x","b":12345678901234567890}` || r.Failed || !r.Tainted {
		t.Errorf("%+v %v", r, err)
	}
}

func TestLists(t *testing.T) {
	for _, row := range []struct {
		mode    string
		tools   int
		problem string
	}{
		{"too many", maxTools, "more than 100 tools"},
		{"endless list", maxTools, "more than 100 tools"},
		{"bad schemas", 2, "its tool large is left out"},
	} {
		server, _ := badServerOf(t, row.mode)
		w := newWorld(t, "")
		tools := w.start(server)
		if p := w.Problems(); len(tools) != row.tools || len(p) != 1 || p[0].Down || !strings.Contains(p[0].Message, row.problem) {
			t.Errorf("%s: %d tools, %+v", row.mode, len(tools), p)
		}
		if row.mode == "bad schemas" {
			if _, err := tools[0].Plan(json.RawMessage(`{"a": 1}`)); err != nil || string(tools[1].Spec().Schema) != `{"type":"object"}` {
				t.Errorf("%v %s", err, tools[1].Spec().Schema)
			}
		}
		w.Close()
	}
}
