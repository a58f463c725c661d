package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// deltas is how many pieces the long answer comes in.
const deltas = 20_000

// BenchmarkStream is an answer in 20,000 pieces. The yardstick is a client that
// reads the same stream and decodes every piece, and does nothing with it.
func BenchmarkStream(b *testing.B) {
	long := make([]string, deltas)
	for i := range long {
		long[i] = text("word ")
	}
	m := newInstant(b, func(n int) []string {
		if n == 0 {
			return []string{text("Yes.")}
		}
		return long
	})
	e := openEditor(b, m.url)
	session := e.prompt("", "warm up", nil)
	var first time.Time
	received, frames := 0, 0
	e.prompt(session, "count", func(frame []byte) {
		if bytes.Contains(frame, []byte(`"type":"message.delta"`)) {
			if first.IsZero() {
				first = time.Now()
			}
			frames++
			received += strings.Count(string(frame), "word")
		}
	})
	took := time.Since(m.leftAt(1))
	if received != deltas {
		b.Errorf("%d of %d pieces reached the client", received, deltas)
	}
	yard := readStream(b, m.url)
	noted("20,000 deltas of a stream", "%.0f/s in %d frames; first after %.2f ms; %.2f × reading and decoding them (%.0f/s)", float64(deltas)/took.Seconds(),
		frames, ms(first.Sub(m.leftAt(1))), float64(took)/float64(yard), float64(deltas)/yard.Seconds())
	b.ReportMetric(float64(deltas)/took.Seconds(), "deltas/s")
}

// leftAt is when answer n began to leave.
func (m *instant) leftAt(n int) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.left[n]
}

func readStream(b *testing.B, url string) time.Duration {
	b.Helper()
	start := time.Now()
	answer, err := http.Post(url+"/chat/completions", "application/json", strings.NewReader("{}"))
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	pieces := 0
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: {")
		if !ok {
			continue
		}
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal([]byte("{"+data), &chunk); err != nil {
			b.Fatal(err)
		}
		pieces++
	}
	if pieces < deltas {
		b.Fatalf("the yardstick read %d pieces", pieces)
	}
	return time.Since(start)
}
