package signin

import (
	"testing"

	"go.uber.org/goleak"

	_ "github.com/agent-sidecar/agent-sidecar/internal/durable/unsynced" // nothing here waits for the drive
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
