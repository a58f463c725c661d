package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	turnGate  = 1.5
	turnRuns  = 7
	manyTurns = 400
	lastTurn  = manyTurns - around - 1
	around    = 12 // turns to each side that a number is the lower quartile of
)

// BenchmarkTurns is what the sidecar adds to each tool turn, from the model's
// last byte to its next request: take the answer, log it, plan, decide and run a
// read of a 1 KB file with fsync on, log that, and build the request. Encoding
// the request grows with the conversation for everybody and is taken off.
//
// The machine changes its speed while a session grows, and a ratio of one run may
// be 0.6 as well as 1.9: the median of turnRuns is what is held to the gate.
func BenchmarkTurns(b *testing.B) {
	var at200, at400 []float64
	var said string
	var idle, after, peak []int64
	for range turnRuns {
		m, e := longRun(b)
		m.work = e.processor
		idle = append(idle, e.memory("VmRSS"))
		e.prompt("", "read them all", nil)
		after, peak = append(after, e.memory("VmRSS")), append(peak, e.memory("VmHWM"))
		first, base := m.turn(b, 50)
		later, _ := m.turn(b, 200)
		last, saidLast := m.turn(b, lastTurn)
		at200, at400 = append(at200, ms(later)/ms(first)), append(at400, ms(last)/ms(first))
		said = saidLast + "; at 50: " + base
	}
	gated(b, "a tool turn at 400 turns, beyond encoding", median(at400), turnGate, "×at-50", fmt.Sprintf("of %.2f; the last: %s", at400, said))
	gated(b, "a tool turn at 200 turns, beyond encoding", median(at200), turnGate, "×at-50,200", fmt.Sprintf("of %.2f", at200))
	gated(b, "resident memory, idle", mb(slices.Max(idle)), 40, "MB-idle", "after initialize; goal 30")
	gated(b, "resident memory after 400 turns", mb(slices.Max(after)), 80, "MB-400", fmt.Sprintf("at most %.1f; goal 60", mb(slices.Max(peak))))
}

// turn is what a turn takes beyond encoding the request, and that in words.
func (m *instant) turn(b *testing.B, n int) (beyond time.Duration, said string) {
	encode, whole := marshal(b, m.request[n]), m.overhead(n)
	return whole - encode, fmt.Sprintf("%.2f of %.2f ms, processor %.2f", ms(whole-encode), ms(whole), ms(m.processor(n)))
}

// lateTurn is the turn that BenchmarkLateTurn is about.
const lateTurn = 2000

// BenchmarkLateTurn is the processor time of a tool turn late in a run, with encoding and
// sending the request: all that grows with the conversation are its bytes on their way to
// the socket.
func BenchmarkLateTurn(b *testing.B) {
	late, said := attempts(turnGate, func() (float64, string) {
		m, e := longRunOf(b, lateTurn+2*around)
		m.work = e.processor
		e.prompt("", "read them all", nil)
		first, last := m.processor(50), m.processor(lateTurn)
		return float64(last) / float64(first), fmt.Sprintf("%.2f ms, at 50: %.2f", ms(last), ms(first))
	})
	gated(b, "a tool turn at 2,000 turns, all of it", late, turnGate, "×at-50", "processor "+said)
}

// processor is the processor time of a turn around turn n.
func (m *instant) processor(n int) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return (m.worked[n+around] - m.worked[n-around]) / (2 * around)
}

// longRun is an editor and a model that will read manyTurns files one by one.
func longRun(b *testing.B, rules ...string) (*instant, *editor) {
	return longRunOf(b, manyTurns, rules...)
}

func longRunOf(b *testing.B, turns int, rules ...string) (*instant, *editor) {
	m := newInstant(b, func(n int) []string {
		if n%(turns+1) == turns {
			return []string{text("All read.")}
		}
		return []string{call(n, "read", fmt.Sprintf(`{"path": "f%03d.txt"}`, n%manyTurns))}
	})
	for _, n := range []int{50, 200, lastTurn} {
		m.keep[n] = true
	}
	e := openEditor(b, m.url, rules...)
	for i := range manyTurns {
		e.write(filepath.Join(e.dir, fmt.Sprintf("f%03d.txt", i)), strings.Repeat(fmt.Sprintf("line of file %03d\n", i), 56))
	}
	return m, e
}

// overhead is the time (lower quartile) from an answer to the next request around a turn.
func (m *instant) overhead(turn int) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []time.Duration
	for n := max(1, turn-around); n <= turn+around && n < len(m.came); n++ {
		all = append(all, m.came[n].Sub(m.left[n-1]))
	}
	return quartile(all)
}

// BenchmarkApproval is the same with a question about each call, answered as
// soon as it is seen.
func BenchmarkApproval(b *testing.B) {
	m, e := longRun(b, `{"domain": "read", "pattern": "*", "decision": "ask"}`)
	asked := 0
	e.prompt("", "read them all", func(frame []byte) {
		if !bytes.Contains(frame, []byte(`"type":"approval.requested"`)) {
			return
		}
		var event struct {
			Params struct {
				Data struct{ ApprovalID, Digest string }
			}
		}
		if err := json.Unmarshal(frame, &event); err != nil {
			b.Fatal(err)
		}
		asked++
		e.request("agent/approve", map[string]any{"approvalId": event.Params.Data.ApprovalID, "decision": "once", "digest": event.Params.Data.Digest})
	})
	if asked != manyTurns {
		b.Fatalf("%d questions in %d turns", asked, manyTurns)
	}
	at50, at400 := m.overhead(50), m.overhead(lastTurn)
	b.ReportMetric(ms(at50), "ms-at-50")
	noted("a tool turn with an approval", "%.2f ms at 50 turns, %.2f at 400 (encoding included)", ms(at50), ms(at400))
}

// BenchmarkPrompt is the time from the prompt to the first request to the model,
// in a session that is warm.
func BenchmarkPrompt(b *testing.B) {
	m := newInstant(b, func(int) []string { return []string{text("Yes.")} })
	e := openEditor(b, m.url)
	session := ""
	var took, bare []time.Duration
	for n := range 60 {
		start := time.Now()
		session = e.prompt(session, "Are you there?", nil)
		m.mu.Lock()
		took = append(took, m.came[n].Sub(start))
		m.mu.Unlock()
		start = time.Now()
		e.call("agent/status", struct{}{})
		bare = append(bare, time.Since(start))
	}
	warm, yard := median(took[10:]), median(bare[10:])
	b.ReportMetric(ms(warm), "ms")
	noted("prompt → first model request, warm", "%.2f ms; %.1f × a request that does nothing (agent/status, %.2f ms)", ms(warm), float64(warm)/float64(yard), ms(yard))
}
