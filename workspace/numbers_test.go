package workspace

import (
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/artifact"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
)

// The numbers that the specification gives, written a second time: the tests at
// their edges take them from the code.
func TestNumbersOfTheSpecification(t *testing.T) {
	for name, row := range map[string][2]int{
		"milliseconds of a command":         {bashTimeout, 120_000},
		"milliseconds of a command at most": {bashMaxTimeout, 600_000},
		"bytes of the head of an output":    {output.HeadBytes, 40 * 1024},
		"bytes of the tail of an output":    {output.TailBytes, 40 * 1024},
		"bytes of an artifact":              {artifact.Cap, 100 * 1024 * 1024},
		"bytes of a command's artifact":     {output.FileBytes, artifact.Cap},
		"bytes of live output at once":      {output.LiveBytes, 8192},
		"live output in a second":           {int(time.Second / output.LiveEvery), 10},
		"bytes of all artifacts":            {artifact.MaxBytes, 512 * 1024 * 1024},
		"bytes of all checkpoints":          {checkpointBytes, 512 * 1024 * 1024},
		"days of a checkpoint":              {int(checkpointAge / (24 * time.Hour)), 7},
		"seconds of an external tool":       {int(externalCall / time.Second), 120},
		"bytes of a tool's name":            {tool.MaxName, 64},
	} {
		if row[0] != row[1] {
			t.Errorf("%s: %d, want %d", name, row[0], row[1])
		}
	}
}
