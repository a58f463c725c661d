package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	elsewhereGate  = 2 // ms beyond the same call here and one round trip of a pipe
	elsewhereRuns  = 41
	elsewhereFirst = 11 // what comes before starts the worker and fills caches
)

// BenchmarkElsewhere is what a tool call through a worker behind a pipe costs beyond
// the same call here. The two run in turns.
func BenchmarkElsewhere(b *testing.B) {
	for _, row := range []struct{ tool, input string }{
		{"read", `{"path": "a.txt"}`},
		{"grep", `{"pattern": "line 7"}`},
		{"bash", `{"command": "cat a.txt | head -3 > b.txt", "description": "run"}`},
	} {
		b.Run(row.tool, func(b *testing.B) {
			value, said := attempts(elsewhereGate, func() (float64, string) {
				var places [2]place
				for i, runner := range []string{"", "pipe"} {
					places[i].open(b, runner, row.tool, row.input)
				}
				trip := roundTrips(b)
				var trips []time.Duration
				for n := range elsewhereRuns {
					for i := range places {
						places[i].once(n)
					}
					trips = append(trips, trip())
				}
				here, there, way := median(places[0].wall), median(places[1].wall), median(trips)
				return ms(there) - ms(here) - ms(way), fmt.Sprintf("%.2f ms, here %.2f, a round trip %.2f", ms(there), ms(here), ms(way))
			})
			gated(b, "a call of "+row.tool+" through a worker, beyond the same here and a round trip", value, elsewhereGate, "ms", said)
		})
	}
}

// roundTrips measures how long a line takes to a program behind a pipe, which has slept since
// the last one, and back.
func roundTrips(b *testing.B) func() time.Duration {
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	lines := bufio.NewReader(out)
	return func() time.Duration {
		began := time.Now()
		_, err := io.WriteString(in, "there and back\n")
		if err == nil {
			_, err = lines.ReadString('\n')
		}
		if err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
}

// place is a sidecar whose session works somewhere.
type place struct {
	e       *editor
	m       *instant
	session string
	wall    []time.Duration
}

func (p *place) open(b *testing.B, runner, tool, input string) {
	p.m = newInstant(b, func(n int) []string {
		if n%2 == 1 {
			return []string{text("Done.")}
		}
		return []string{call(n, tool, input)}
	})
	p.e = openEditor(b, p.m.url, `{"domain": "bash", "pattern": "*", "decision": "allow"}`, `{"domain": "bash", "pattern": "*", "decision": "allow", "runner": "pipe"}`)
	p.e.write(filepath.Join(p.e.dir, "a.txt"), strings.Repeat("a line of it\n", 80))
	var made struct {
		Result struct{ Session struct{ ID string } }
	}
	if err := json.Unmarshal(p.e.call("agent/session/new", map[string]any{}), &made); err != nil || made.Result.Session.ID == "" {
		b.Fatalf("agent/session/new: %v", err)
	}
	p.session = made.Result.Session.ID
	if runner != "" {
		p.e.call("agent/session/update", map[string]any{"sessionId": p.session, "runner": runner})
	}
}

// once runs one prompt, which is one call, and keeps what came between the model's call and
// its next request.
func (p *place) once(n int) {
	p.e.prompt(p.session, "do it", nil)
	if last := len(p.m.came) - 1; n >= elsewhereFirst {
		p.wall = append(p.wall, p.m.came[last].Sub(p.m.left[last-1]))
	}
}
