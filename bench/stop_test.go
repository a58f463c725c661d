package bench

import (
	"fmt"
	"os"
	"testing"
	"time"
)

const (
	stopGate = 0.2 // × a search that has to look at everything
	stopRuns = 9   // of each, in turns
)

// BenchmarkStop is a search that finds early all it shows, beside one that counts every
// line, in processor time of the sidecar.
func BenchmarkStop(b *testing.B) {
	calls := []string{`{"pattern": "return"}`, `{"pattern": "return", "mode": "count"}`}
	m := newInstant(b, func(n int) []string {
		if n == stopRuns*len(calls) {
			return []string{text("Found.")}
		}
		return []string{call(n, "grep", calls[n%len(calls)])}
	})
	dir := os.Getenv("BENCH_TREE") // set: grown by an earlier run
	if dir == "" {
		dir = b.TempDir()
		growTree(b, dir)
	}
	e := openEditorIn(b, dir, m.url)
	m.work = e.processor
	e.prompt("", "look", nil)
	work := make([][]time.Duration, len(calls))
	for n := len(calls); n < stopRuns*len(calls); n++ { // the first of each fills the caches
		work[n%len(calls)] = append(work[n%len(calls)], m.worked[n+1]-m.worked[n])
	}
	stopped, whole := median(work[0]), median(work[1])
	gated(b, "grep that stops behind its limit", ms(stopped)/ms(whole), stopGate, "×counting", fmt.Sprintf("processor %.0f ms of %.0f", ms(stopped), ms(whole)))
}
