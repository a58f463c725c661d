package output

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// drain is a sink whose artifact keeps nothing.
type drain struct{ bytes int64 }

func (d *drain) Line() string                     { return "s" }
func (d *drain) CallID() string                   { return "c" }
func (d *drain) Output(string, string)            {}
func (d *drain) Spill(string) (tool.Spill, error) { return drained{d}, nil }

type drained struct{ *drain }

func (d drained) Write(p []byte) (int, error) { d.bytes += int64(len(p)); return len(p), nil }
func (d drained) Close() (tool.ArtifactRef, string, error) {
	return tool.ArtifactRef{Bytes: d.bytes}, "/x", nil
}

// However much a command prints, in lines or in one, what is kept in memory is
// the head and the tail.
func TestOutputMemoryIsFlat(t *testing.T) {
	for name, row := range map[string]struct {
		chunk string
		total int
	}{
		"lines":       {strings.Repeat("a line of output\n", 4_000), FileBytes + 4<<20}, // more than is kept in the file
		"one line":    {strings.Repeat("x", 64<<10), 40 << 20},
		"drawn again": {strings.Repeat("50 %\r", 13_000), 40 << 20},
	} {
		total := row.total
		d := &drain{}
		o := New(d)
		o.live.closed = true // no timers in a loop without end
		var before, after runtime.MemStats
		peak := uint64(0)
		piece := []byte(row.chunk)
		runtime.GC()
		runtime.ReadMemStats(&before)
		began := time.Now()
		for n := 0; n < total; n += len(piece) {
			if _, err := o.Write(piece); err != nil {
				t.Fatal(err)
			}
			if n%(8<<20) < len(piece) {
				runtime.GC()
				runtime.ReadMemStats(&after)
				peak = max(peak, after.HeapAlloc)
			}
		}
		r := o.Finish("")
		t.Logf("%s: %d MiB, %d KiB more on the heap, %v", name, total>>20, (int64(peak)-int64(before.HeapAlloc))>>10, time.Since(began))
		if grown := int64(peak) - int64(before.HeapAlloc); grown > 2<<20 {
			t.Errorf("%s: %d bytes more on the heap", name, grown)
		}
		if name != "drawn again" && (r.Spilled == nil || r.Spilled.Bytes < int64(total) || d.bytes > FileBytes || r.Spilled.Capped != (total > FileBytes)) {
			t.Errorf("%s: %+v", name, r.Spilled)
		}
	}
}
