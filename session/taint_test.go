package session

import (
	"context"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// What a call touches is enough to taint; a tool that forgets to say so does not
// help the text in.
func TestTaints(t *testing.T) {
	targets := func(domains ...string) *tool.Plan {
		p := &tool.Plan{}
		for _, d := range domains {
			p.Targets = append(p.Targets, tool.Target{Domain: d, Object: "x"})
		}
		return p
	}
	for name, row := range map[string]struct {
		step   step
		result tool.Result
		want   bool
	}{
		"a file":                         {step{plan: targets("read")}, tool.Result{}, false},
		"a command":                      {step{plan: targets("bash")}, tool.Result{}, false},
		"a command that uses network":    {step{plan: targets("bash"), word: word{decision: control.Decision{Network: true}}}, tool.Result{}, true},
		"a command outside the sandbox":  {step{plan: &tool.Plan{Needs: "unconfined"}}, tool.Result{}, true},
		"a page":                         {step{plan: targets("web_fetch")}, tool.Result{}, true},
		"a page that failed":             {step{plan: targets("web_fetch")}, tool.Result{Failed: true}, true},
		"a search":                       {step{plan: targets("web_search")}, tool.Result{}, true},
		"an MCP tool":                    {step{plan: targets("mcp")}, tool.Result{}, true},
		"an external tool":               {step{plan: targets("tool")}, tool.Result{}, false},
		"an external tool with a domain": {step{plan: targets("tool", "web_fetch")}, tool.Result{}, true},
		"a tool that says so":            {step{plan: targets("tool")}, tool.Result{Tainted: true}, true},
	} {
		if got := taints(&row.step, row.result); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A sub-agent's taint is its root's at once; it is said once, and stays over a
// summary and over a restart.
func TestTaintStays(t *testing.T) {
	h := newHouse(t)
	s := h.session(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	child, err := s.adopt(ctx, cancel, Task{Agent: "explore", CallID: "c1"})
	if err != nil {
		t.Fatal(err)
	}
	if s.facts(control.Agent{}).Tainted {
		t.Fatal("tainted from the start")
	}
	r := &run{id: "r1", ctx: ctx, cancel: cancel}
	open := s.touched()
	j := &step{call: Call{CallID: "e1"}, plan: &tool.Plan{}}
	child.taint(r, j)
	child.taint(r, j)
	select {
	case <-open:
	default:
		t.Error("open questions are not judged again")
	}
	for _, of := range []*Session{s, child} {
		if !of.facts(control.Agent{}).Tainted {
			t.Error(of.id, "is not tainted")
		}
	}
	said := 0
	for _, e := range h.ears.events {
		if b, ok := e.Body.(Changed); ok && b.Tainted != nil {
			said++
		}
	}
	if said != 1 {
		t.Error("said", said, "times")
	}
	if err := s.record("r1", ContextCompacted{Trigger: "auto", Summary: "all of it", KeepFrom: s.Seq() + 1, OK: true}); err != nil {
		t.Fatal(err)
	}
	if !s.facts(control.Agent{}).Tainted {
		t.Error("a summary took the taint away")
	}
	if err := child.shut(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(ctx); err != nil {
		t.Fatal(err)
	}
	again, err := h.reopen().Get(s.id)
	if err != nil {
		t.Fatal(err)
	}
	if !again.facts(control.Agent{}).Tainted {
		t.Error("a restart took the taint away")
	}
}
