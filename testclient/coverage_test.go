package testclient_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/testclient"
)

func TestCoverageCountsWhatIsShown(t *testing.T) {
	dir := t.TempDir()
	text := `# covers: O1, O2.
-- conversation --
--> initialize #0 {}
<-- #0 result {…}
--> initialized {}
--> agent/run #"a b" {}
<-- #"a b" error {"code": -32803, "message": "no", "data": {"kind": "run_mismatch"}}
--> agent/cancel #2 {}
--> agent/run #3 {}
<-- agent/event {"type": "run.state", "data": {}}
<-- #3 result {"stopReason": "error", "error": {"kind": "model_auth"}}
<-- window/showDocument #s1 {}
--> #s1 result null
--- answer workspace/applyEdit {}
-- log --
{"seq": 1, "type": "run.ended", "data": {"error": {"kind": "internal"}}}
`
	if err := os.WriteFile(filepath.Join(dir, "a.txtar"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := testclient.Coverage(dir, testclient.Wanted{
		Methods: []string{"initialize", "initialized", "agent/run", "agent/cancel", "agent/event", "window/showDocument", "workspace/applyEdit", "agent/approve"},
		Events:  []string{"run.state", "run.ended", "run.started"},
		Kinds:   []string{"run_mismatch", "model_auth", "internal", "overloaded"},
		Rules:   []string{"O1", "O2", "O3"},
	})
	// agent/cancel was asked and never answered.
	want := []string{"event run.started", "kind overloaded", "method agent/approve", "method agent/cancel", "rule O3"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, want %q (%v)", got, want, err)
	}
}
