// Package unsynced is imported by tests: nothing in their process waits for the drive. What
// was written stays when a process is killed; only a power cut shows the difference, and the
// steps of a Disk, by which tests make one, are the same. Benchmarks and -thorough do wait.
package unsynced

import (
	"flag"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/testclient/sample"
)

func init() {
	durable.LeaveOutSyncs(sync.OnceValue(func() bool { // asked once the flags are known
		return !sample.Thorough() && flag.Lookup("test.bench").Value.String() == ""
	}))
}
