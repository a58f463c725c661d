package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/workspace/artifact"
)

// flood prints 200 MB of lines.
const (
	flood      = `yes 'the quick brown fox jumps over the lazy dog, 0123456789' | head -c 200000000`
	floodBytes = 200_000_000
)

// BenchmarkFlood is a command that prints 200 MB: through the guard, the
// artifact, the truncation, the log and the wire, with a client that sees every
// event. The yardstick is the command with its output in a file.
func BenchmarkFlood(b *testing.B) {
	m := newInstant(b, func(n int) []string {
		switch n {
		case 0: // what is needed once is not growth
			return []string{call(n, "bash", `{"command": "echo warm", "description": "warm up"}`)}
		case 2:
			return []string{call(n, "bash", fmt.Sprintf(`{"command": %q, "description": "flood"}`, flood))}
		}
		return []string{text("Done.")}
	})
	e := openEditor(b, m.url, `{"domain": "bash", "pattern": "*", "decision": "allow"}`)
	session := e.prompt("", "warm up", nil)
	before := e.memory("VmHWM")
	var kept int64
	e.prompt(session, "flood", func(frame []byte) {
		if bytes.Contains(frame, []byte(`"type":"tool.returned"`)) {
			var event struct {
				Params struct {
					Data struct {
						Artifact struct{ Bytes int64 }
					}
				}
			}
			if err := json.Unmarshal(frame, &event); err != nil {
				b.Fatal(err)
			}
			kept = event.Params.Data.Artifact.Bytes
		}
	})
	growth := e.memory("VmHWM") - before
	if kept != min(floodBytes, artifact.Cap) {
		b.Errorf("the artifact holds %d bytes of %d", kept, floodBytes)
	}
	ours := m.overhead3()
	var files []time.Duration
	for range 3 {
		start := time.Now()
		cmd := exec.Command("bash", "-c", flood+" > flood.txt")
		cmd.Dir = e.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		files = append(files, time.Since(start))
	}
	gated(b, "200 MB of output: growth of resident memory", mb(growth), 32, "MB-growth", fmt.Sprintf("peak %.1f before", mb(before)))
	aimed(b, "200 MB of output: wall", float64(ours)/float64(median(files)), 1.5, "×file", fmt.Sprintf("%.0f ms; command > file %.0f ms", ms(ours), ms(median(files))))
}

// overhead3 is from the answer that calls for the flood to the request that
// carries its result.
func (m *instant) overhead3() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.came[3].Sub(m.left[2])
}
