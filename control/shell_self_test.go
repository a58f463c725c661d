package control

import (
	"strings"
	"testing"
)

// Bypass: a model that may run commands wrote the configuration, or started a run
// that says yes to itself, through the sidecar's own program.
func TestSidecarIsNoWayAroundItself(t *testing.T) {
	for _, blocked := range []string{
		"agent-sidecar mcp login notes", "agent-sidecar mcp --no-open logout notes", "sh -c 'agent-sidecar mcp login notes'", "echo notes | xargs agent-sidecar mcp login",
		"agent-sidecar config set model evil/x", "agent-sidecar config reset providers", "agent-sidecar --home /x config set model x", "/usr/local/bin/agent-sidecar config set model x", "./bin/agent-sidecar config set model x",
		"agent-sidecar run --yes 'rm all'", "agent-sidecar run -yes x", "agent-sidecar --yes=true run x", "agent-sidecar serve --trust-client", "agent-sidecar -trust-client", "AGENT-SIDECAR config set a b",
		"true && agent-sidecar config set a b", "echo x | xargs agent-sidecar config set model", "env -i agent-sidecar run --yes x", "sh -c 'agent-sidecar config set a b'", "timeout 5 agent-sidecar run --yes x",
		"agent-sidecar run --set agents.runtime.sandbox.mode=off x", "agent-sidecar run --set=model=evil/x x", "agent-sidecar -set a=b run x", "agent-sidecar run --config /tmp/c.jsonc x", "agent-sidecar --profile=loose run x", "git diff | agent-sidecar run --profile loose x",
		"agent-sidecar 'config' \"set\" a b", "agent-sidecar con\\fig set a b",
	} {
		f := baseFacts()
		f.Mode = "full_access"
		if d := decide(f, bashPlan(blocked)); d.Verdict != Deny || !strings.Contains(d.Refusal, "dangerous command blocked") {
			t.Errorf("%s: %v %s", blocked, d.Verdict, d.Refusal)
		}
	}
	for _, asks := range []string{"agent-sidecar mcp", "agent-sidecar config", "agent-sidecar config get model", "agent-sidecar demo --yes", "agent-sidecar doctor", "agent-sidecar run set", "grep -rn 'agent-sidecar config set' docs", "echo agent-sidecar run --yes"} {
		if d := decide(baseFacts(), bashPlan(asks)); d.Verdict != Ask {
			t.Errorf("%s: %v %s", asks, d.Verdict, d.Refusal)
		}
	}
}
