package session

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// A question about a command that leaves the sandbox says what has changed where nobody
// looks since commands ran without a question, and none says it before one did.
func TestUnaskedShown(t *testing.T) {
	h := newHouse(t)
	s := h.session(t)
	asked, all := time.Time{}, true
	var names []string
	h.deps.Unasked = config.OpenUnasked(h.disk, h.deps.Home, "w")
	h.around.unfollowed = func(_ context.Context, since time.Time) (int, []string, bool) {
		asked = since
		return len(names), names[:min(len(names), 10)], all
	}
	network := &tool.Plan{Command: "x", Needs: tool.Needs{tool.NeedNetwork}}
	out := &tool.Plan{Command: "x", Needs: tool.Needs{tool.NeedUnconfined}}
	shown := func(p *tool.Plan, d control.Decision) string { return s.calls.previews.unaskedShown(t.Context(), p, d) }
	if got := shown(network, control.Decision{}); got != "" || !asked.IsZero() {
		t.Errorf("nothing has run: %q", got)
	}
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	h.deps.Unasked.Begin(began)
	if got := shown(network, control.Decision{}); got != "" || !asked.Equal(began) {
		t.Errorf("nothing has changed: %q since %v", got, asked)
	}
	for i := range 12 {
		names = append(names, fmt.Sprintf("node_modules/%d\u202e", i))
	}
	for name, got := range map[string]string{
		"network": shown(network, control.Decision{}), "unconfined": shown(out, control.Decision{}), "known to use it": shown(&tool.Plan{Command: "x"}, control.Decision{Network: true}),
	} {
		if !strings.Contains(got, "a command like this one: 12\n  node_modules/0<U+202E>\n") || strings.Count(got, "  node_modules/") != 10 || !strings.HasSuffix(got, "\n  and 2 more\n\n") {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := shown(&tool.Plan{Command: "x"}, control.Decision{}) + shown(&tool.Plan{Needs: tool.Needs{tool.NeedNetwork}}, control.Decision{}); got != "" {
		t.Errorf("another question: %q", got)
	}
	all, names = false, nil
	if got := shown(network, control.Decision{}); !strings.Contains(got, "at least 0\n") {
		t.Errorf("it cannot be told: %q", got)
	}
}

// A yes to such a question begins the count anew; one to another does not.
func TestYesBeginsTheCountAnew(t *testing.T) {
	h := newHouse(t)
	s := h.session(t)
	h.deps.Unasked = config.OpenUnasked(h.disk, h.deps.Home, "w")
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	h.deps.Unasked.Begin(began)
	later := began.Add(time.Hour)
	for _, row := range []struct {
		plan *tool.Plan
		yes  string
		want time.Time
	}{
		{&tool.Plan{Command: "x"}, "once", began},
		{&tool.Plan{Command: "x", Needs: tool.Needs{tool.NeedNetwork}}, "reject", began},
		{&tool.Plan{Command: "x", Needs: tool.Needs{tool.NeedNetwork}}, "once", later},
	} {
		s.calls.seenUnasked(row.plan, control.Decision{}, row.yes, later)
		if since, _ := h.deps.Unasked.Since(); !since.Equal(row.want) {
			t.Errorf("%s to %+v: %v", row.yes, row.plan.Needs, since)
		}
	}
}

// boxed is a call that is allowed and counts on a sandbox, whoever has said the last word.
func boxed(is tool.Sandboxing) *invocation {
	return &invocation{plan: &tool.Plan{}, authorized: authorization{allow: true, by: "client", decision: control.Decision{Sandbox: is}}}
}

// What is allowed because of the sandbox is bound to it, and the person is told once.
func TestInSandboxBindsThePlan(t *testing.T) {
	h := newHouse(t)
	s := h.session(t)
	h.deps.Unasked = config.OpenUnasked(h.disk, h.deps.Home, "w")
	for _, want := range []tool.Sandboxing{tool.NoSandbox, tool.SandboxedReadOnly, tool.Sandboxed} {
		j := boxed(want)
		s.calls.inSandbox(&run{}, j)
		s.calls.inSandbox(&run{}, j)
		if got := granted(j.plan, j.authorized.decision).Sandbox; got != want {
			t.Errorf("decided %d: boxed %d", want, got)
		}
		if _, known := h.deps.Unasked.Since(); known != (want == tool.Sandboxed) {
			t.Errorf("decided %d: that a command ran which can leave something is kept: %v", want, known)
		}
		if told := len(h.ears.shown); told != min(int(want), 1) {
			t.Errorf("decided %d: told %d times", want, told)
		}
	}
	h.ears.shown = nil
	again := h.session(t)
	again.calls.inSandbox(&run{}, boxed(tool.Sandboxed))
	if len(h.ears.shown) != 0 {
		t.Error("told again in another session of the workspace")
	}
}
