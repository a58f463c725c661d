package mcp

import (
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

// A definition that changes asks again, and only a yes makes it known.
func TestChangedDefinitionAsks(t *testing.T) {
	home := t.TempDir()
	server, _ := badServerOf(t, "changes its tools")
	w := newWorld(t, home)
	echo := w.start(server)[0]
	old := outputtest.Plan(t, echo, `{}`)
	if !old.Why.IsZero() {
		t.Errorf("%+v", old)
	}
	outputtest.Run(t, echo, `{}`)
	w.awaitTools(2)

	fresh := outputtest.Plan(t, echo, `{}`)
	if fresh.Why.IsZero() || fresh.Digest == old.Digest {
		t.Errorf("the change does not ask: %+v", fresh)
	}
	if r, err := outputtest.Allowed(t.Context(), old, &outputtest.Kept{}); err != nil || !r.Failed || !strings.Contains(r.Text, "nothing was done") {
		t.Errorf("what was judged before the change ran: %+v %v", r, err)
	}
	// Another process of the same home asks, too.
	other := newWorld(t, home)
	again, _ := badServerOf(t, "changes its tools")
	if p := outputtest.Plan(t, other.start(again)[0], `{}`); !p.Why.IsZero() {
		t.Errorf("the first definition asks: %+v", p)
	}
	if r, err := outputtest.Allowed(t.Context(), fresh, &outputtest.Kept{}); err != nil || r.Failed {
		t.Errorf("%+v %v", r, err)
	}
	if p := outputtest.Plan(t, echo, `{}`); !p.Why.IsZero() {
		t.Errorf("it asks once more after a yes: %+v", p)
	}
	tools := w.Ready()
	if p := outputtest.Plan(t, tools[1], `{}`); tools[1].Spec().Name != "mcp__bad__new" || !p.Why.IsZero() {
		t.Errorf("a new tool of a known server asks: %+v", p)
	}
}
