package hooks

import (
	"os"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
)

func TestMain(m *testing.M) {
	if handled, code := proc.Main(os.Args, nil); handled {
		os.Exit(code)
	}
	if len(os.Args) > 2 && os.Args[1] == asHook {
		os.Exit(playHook(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}
