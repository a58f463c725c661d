package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	delayGate  = 8                     // ms that 19 of 20 words may wait in the sidecar
	delayWords = 300                   // of one answer
	delayPace  = 10 * time.Millisecond // a fast model says a word so often
)

// BenchmarkDelay is how long a word of a model is on its way to the editor, beside a
// client that reads the same stream itself.
func BenchmarkDelay(b *testing.B) {
	m := &slowTalker{}
	server := httptest.NewServer(m)
	b.Cleanup(server.Close)
	e := openEditor(b, server.URL+"/v1")
	session := e.prompt("", "warm up", nil)
	gate, measured := attempts(delayGate, func() (float64, string) {
		bare := m.read(b, server.URL)
		var came []time.Time
		e.prompt(session, "tell me", func(frame []byte) {
			for range wordsIn(frame) {
				came = append(came, time.Now())
			}
		})
		ours := m.delays(b, came)
		return ms(ours[len(ours)*95/100] - bare[len(bare)*95/100]), fmt.Sprintf("p50 %.2f ms, p95 %.2f; read directly %.2f, %.2f",
			ms(ours[len(ours)/2]), ms(ours[len(ours)*95/100]), ms(bare[len(bare)/2]), ms(bare[len(bare)*95/100]))
	})
	gated(b, "delay of a word of the model, p95 beyond the wire", gate, delayGate, "ms-delay", measured)
}

// slowTalker is a model that says a word every delayPace.
type slowTalker struct{ said []time.Time }

func (m *slowTalker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // a client that has gone is its own affair
	m.said = m.said[:0]
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := `data: {"id":"x","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}` + "\n\n"
	pace := time.NewTicker(delayPace)
	defer pace.Stop()
	for range delayWords {
		m.said = append(m.said, time.Now())
		fmt.Fprintf(w, chunk, text("word "), "null")
		w.(http.Flusher).Flush()
		<-pace.C
	}
	fmt.Fprintf(w, chunk+"data: [DONE]\n\n", "{}", `"stop"`)
}

// read takes one answer as a client that does nothing with it, and gives the delays.
func (m *slowTalker) read(b *testing.B, url string) []time.Duration {
	b.Helper()
	answer, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader("{}"))
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	var came []time.Time
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if strings.Contains(lines.Text(), "word") {
			came = append(came, time.Now())
		}
	}
	return m.delays(b, came)
}

// delays is how long each word was on its way, the shortest first.
func (m *slowTalker) delays(b *testing.B, came []time.Time) (all []time.Duration) {
	b.Helper()
	if len(came) != delayWords {
		b.Fatalf("%d of %d words came", len(came), delayWords)
	}
	for i := range came {
		all = append(all, came[i].Sub(m.said[i]))
	}
	slices.Sort(all)
	return all
}

// wordsIn is how many words of the answer a frame has.
func wordsIn(frame []byte) int {
	if !bytes.Contains(frame, []byte(`"type":"message.delta"`)) {
		return 0
	}
	return bytes.Count(frame, []byte("word"))
}
