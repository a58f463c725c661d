package sandbox

import (
	"os"
	"testing"

	_ "github.com/agent-sidecar/agent-sidecar/internal/durable/unsynced" // nothing here waits for the drive
	"github.com/agent-sidecar/agent-sidecar/internal/proc"
)

// TestMain lets the test binary be the guard and the confined process of the
// commands it runs.
func TestMain(m *testing.M) {
	if handled, code := proc.Main(os.Args, Landlock); handled {
		os.Exit(code)
	}
	os.Exit(m.Run())
}
