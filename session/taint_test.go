package session

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// What a call touches is enough to taint; a tool that forgets to say so does not
// help the text in.
func TestTaints(t *testing.T) {
	targets := func(domains ...tool.Domain) *tool.Plan {
		p := &tool.Plan{}
		for _, d := range domains {
			p.Targets = append(p.Targets, tool.Target{Domain: d, Object: "x"})
		}
		return p
	}
	for name, row := range map[string]struct {
		step invocation
		want bool
	}{
		"a file":                         {invocation{plan: targets("read")}, false},
		"a command":                      {invocation{plan: targets("bash")}, false},
		"a command that uses network":    {invocation{plan: targets("bash"), authorized: authorization{decision: control.Decision{Network: true}}}, true},
		"a command outside the sandbox":  {invocation{plan: &tool.Plan{Needs: tool.Needs{tool.NeedUnconfined}}}, true},
		"a page":                         {invocation{plan: targets("web_fetch")}, true},
		"a search":                       {invocation{plan: targets("web_search")}, true},
		"an MCP tool":                    {invocation{plan: targets("mcp")}, true},
		"an external tool":               {invocation{plan: targets("tool")}, false},
		"an external tool with a domain": {invocation{plan: targets("tool", "web_fetch")}, true},
	} {
		if got := taints(&row.step); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A call that says so taints, and one that fails or dies does not hide where it was.
func TestActTaints(t *testing.T) {
	for name, row := range map[string]struct {
		domain tool.Domain
		run    func() (tool.Result, error)
		want   bool
	}{
		"nothing from outside":    {"tool", func() (tool.Result, error) { return tool.Result{Text: "x"}, nil }, false},
		"a tool that says so":     {"tool", func() (tool.Result, error) { return tool.Result{Text: "x", Tainted: true}, nil }, true},
		"a page":                  {"web_fetch", func() (tool.Result, error) { return tool.Result{Text: "x"}, nil }, true},
		"a page that failed":      {"web_fetch", func() (tool.Result, error) { return tool.Result{Text: "404: do this", Failed: true}, nil }, true},
		"a server that failed":    {"mcp", func() (tool.Result, error) { return tool.Result{}, errors.New("do this") }, true},
		"a client that panicked":  {"mcp", func() (tool.Result, error) { panic("do this") }, true},
		"a file that panicked":    {"read", func() (tool.Result, error) { panic("broken") }, false},
		"a failed tool, tainted":  {"tool", func() (tool.Result, error) { return tool.Result{Failed: true, Tainted: true}, nil }, true},
		"an error beside tainted": {"tool", func() (tool.Result, error) { return tool.Result{Tainted: true}, errors.New("x") }, true},
	} {
		h := newHouse(t)
		s := h.session(t)
		ctx, cancel := context.WithCancelCause(context.Background())
		r := &run{id: "r1", ctx: ctx, cancel: cancel, model: h.model}
		j := &invocation{call: history.Call{CallID: "c1", Tool: "x"}, ctx: ctx, done: func() {}, begun: make(chan struct{}), plan: &tool.Plan{
			Targets: []tool.Target{{Domain: row.domain, Object: "x"}},
			Run:     func(context.Context, tool.Grant, tool.Sink) (tool.Result, error) { return row.run() },
		}}
		s.calls.execute(r, j)
		s.calls.record(r, j)
		if got := s.calls.authority.facts(config.Agent{}).Tainted; got != row.want {
			t.Errorf("%s: %v", name, got)
		}
		var order []string
		for _, e := range h.ears.events {
			order = append(order, e.Type())
		}
		if row.want && strings.Join(order, " ") != "session.opened session.changed tool.returned" {
			t.Errorf("%s: %v", name, order)
		}
		cancel(nil)
	}
	h := newHouse(t)
	s := h.session(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	r := &run{id: "r1", ctx: ctx, cancel: cancel, model: h.model}
	j := &invocation{call: history.Call{CallID: "c1", Tool: "x"}, ctx: ctx, done: func() {}, plan: &tool.Plan{Targets: []tool.Target{{Domain: "mcp", Object: "x"}}}}
	j.refuse("rejected", "no")
	s.calls.execute(r, j)
	s.calls.record(r, j)
	if s.calls.authority.facts(config.Agent{}).Tainted {
		t.Error("a call that did not run taints")
	}
}

// A sub-agent's taint is its root's at once; it is said once, and stays over a
// summary and over a restart.
func TestTaintStays(t *testing.T) {
	h := newHouse(t)
	s := h.session(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	child, err := s.spawn(ctx, cancel, Task{Agent: "explore", CallID: "c1"})
	if err != nil {
		t.Fatal(err)
	}
	if s.calls.authority.facts(config.Agent{}).Tainted {
		t.Fatal("tainted from the start")
	}
	r := &run{id: "r1", ctx: ctx, cancel: cancel, model: h.model}
	open := s.root.touched()
	j := &invocation{call: history.Call{CallID: "e1"}, plan: &tool.Plan{}}
	child.calls.taint(r, j)
	child.calls.taint(r, j)
	select {
	case <-open:
	default:
		t.Error("open questions are not judged again")
	}
	for _, of := range []*Session{s, child} {
		if !of.calls.authority.facts(config.Agent{}).Tainted {
			t.Error(of.id, "is not tainted")
		}
	}
	said := 0
	for _, e := range h.ears.events {
		if b, ok := e.Body.(history.Changed); ok && b.Tainted != nil {
			said++
		}
	}
	if said != 1 {
		t.Error("said", said, "times")
	}
	if err := s.journal.Append("r1", history.ContextCompacted{Trigger: "auto", Summary: "all of it", KeepFrom: s.Seq() + 1, OK: true}); err != nil {
		t.Fatal(err)
	}
	if !s.calls.authority.facts(config.Agent{}).Tainted {
		t.Error("a summary took the taint away")
	}
	if err := child.shut(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(ctx); err != nil {
		t.Fatal(err)
	}
	again, err := h.open(s.id)
	if err != nil {
		t.Fatal(err)
	}
	if !again.calls.authority.facts(config.Agent{}).Tainted {
		t.Error("a restart took the taint away")
	}
}
