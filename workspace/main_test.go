package workspace

import (
	"os"
	"testing"

	_ "github.com/agent-sidecar/agent-sidecar/internal/durable/unsynced" // nothing here waits for the drive
	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// TestMain lets the test binary be the guard and the confined process of the
// commands it runs.
func TestMain(m *testing.M) {
	if handled, code := proc.Main(os.Args, sandbox.Landlock); handled {
		os.Exit(code)
	}
	if len(os.Args) > 2 && os.Args[1] == "escape" {
		os.Exit(escapeRole(os.Args[2:]))
	}
	if err := hideLevels(os.Getenv("AGENT_SIDECAR_TEST_BEHIND")); err != nil {
		panic(err)
	}
	os.Setenv("LC_ALL", "C") // bash complains about a language that is not installed
	os.Exit(m.Run())
}
