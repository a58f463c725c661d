package mcp

import (
	"os"
	"testing"

	_ "github.com/agent-sidecar/agent-sidecar/internal/durable/unsynced" // nothing here waits for the drive
	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

func TestMain(m *testing.M) {
	if handled, code := proc.Main(os.Args, sandbox.Landlock); handled {
		os.Exit(code)
	}
	if mode := os.Getenv(badServerEnv); mode != "" {
		os.Exit(runBadServer(mode))
	}
	os.Exit(m.Run())
}
