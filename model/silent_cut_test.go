package model

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// A server that reads much less than it was sent, twice in a row, and as much both times,
// has shown its window. Nothing else has.
func TestCutWithoutAWord(t *testing.T) {
	type report struct{ messages, tools, input, cached int64 } // sent, and reported
	for _, row := range []struct {
		name    string
		reports []report
		want    int64 // of the last
		part    bool  // so is the last
	}{
		{"twice the same", []report{{7000, 0, 4096, 0}, {7200, 0, 4096, 0}}, 4096, false},
		{"once", []report{{7000, 0, 4096, 0}}, 0, true},
		{"at messages: about the same", []report{{9000, 3000, 4000, 0}, {9500, 3000, 4090, 0}}, 4090, false},
		{"the larger of both was read", []report{{9000, 3000, 4090, 0}, {9500, 3000, 4000, 0}}, 4090, false},
		{"too far apart", []report{{9000, 3000, 3800, 0}, {9500, 3000, 4090, 0}}, 0, true},
		{"apart, then alike", []report{{9000, 3000, 3800, 0}, {9500, 3000, 4090, 0}, {9900, 3000, 4090, 0}}, 4090, false},
		{"two thirds are no cut", []report{{6000, 0, 4000, 0}, {6000, 0, 4000, 0}}, 0, false},
		{"a little less are", []report{{6001, 0, 4000, 0}, {6001, 0, 4000, 0}}, 4000, false},
		{"a long one that was read between them", []report{{9000, 0, 4096, 0}, {4200, 0, 4090, 0}, {9000, 0, 4096, 0}}, 0, true},
		{"a short one between them shows nothing", []report{{9000, 0, 4096, 0}, {300, 0, 310, 0}, {9000, 0, 4096, 0}}, 4096, false},
		{"a larger prompt was read before", []report{{9000, 0, 9000, 0}, {9500, 0, 4096, 0}, {9600, 0, 4096, 0}}, 0, true},
		{"short requests", []report{{4000, 0, 2100, 0}, {4000, 0, 2100, 0}}, 0, false},
		{"too small for a window: what is new is counted", []report{{9000, 0, 1900, 0}, {9100, 0, 1900, 0}}, 0, false},
		{"nothing reported", []report{{9000, 0, 0, 0}, {9000, 0, 0, 0}}, 0, false},
		{"cached tokens, once", []report{{800, 0, 900, 100}, {9000, 0, 4096, 0}, {9000, 0, 4096, 0}}, 0, false},
		{"tools that the server leaves out", []report{{5000, 4000, 4900, 0}, {5100, 4000, 5000, 0}}, 0, false},
		{"tools that it has once read", []report{{800, 4000, 4096, 0}, {3000, 4000, 4096, 0}, {3400, 4000, 4096, 0}}, 4096, false},
		{"tools that it writes shorter", []report{{800, 4000, 2400, 0}, {2800, 4000, 4100, 0}, {3000, 4000, 4300, 0}}, 0, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			var r reports
			var got int64
			var part bool
			for _, one := range row.reports {
				s := sent{one.messages, one.tools}
				got, part = r.judge(Usage{Input: one.input, Cached: one.cached}, s, func() sent { return s })
			}
			if got != row.want || part != (row.part || row.want > 0) {
				t.Errorf("%d %v, want %d %v", got, part, row.want, row.part)
			}
		})
	}
}

// What is estimated is counted before anything follows from it, and not again and again
// where it was too high by as much as it often is.
func TestCutIsCountedExactly(t *testing.T) {
	var r reports
	counts := 0
	for n := range int64(10) {
		full := sent{9000 + 100*n, 0}
		if got, part := r.judge(Usage{Input: 5000 + 50*n}, full, func() sent { counts++; return sent{full.messages * 5 / 9, 0} }); got != 0 || part {
			t.Errorf("window %d", got)
		}
	}
	if counts != 1 {
		t.Errorf("counted %d times", counts)
	}
}

// A vocabulary that is made for one language writes it in fewer tokens than ours, and a long
// text is not judged by a sample.
func TestFewestTokens(t *testing.T) {
	letters := func(_, text string) int64 { return int64(len([]rune(text))) }
	for _, row := range []struct {
		model, text string
		want        int64
	}{
		{"qwen", "abcd", 4}, {"qwen", "你好你好", 3}, {"gpt-oss:20b", "你好你好", 4}, {"qwen", "", 0}, {"qwen", strings.Repeat("a", 3*exactBytes), 3 * exactBytes},
	} {
		if got := fewest(letters, row.model, row.text); got != row.want {
			t.Errorf("%s, %d bytes: %d, want %d", row.model, len(row.text), got, row.want)
		}
	}
}

// Only a server of the person's own is judged so, and its window counts as one that an
// error has named.
func TestCutIsLearned(t *testing.T) {
	for _, row := range []struct {
		address string
		counts  bool // the catalog counts
		usage   string
		window  int64 // configured
		want    int64 // said with the second answer
		known   int64 // afterwards
	}{
		{"http://127.0.0.1:9/v1", true, `"prompt_tokens":4096`, 0, 4096, 4096},
		{"http://192.168.1.7:9/v1", true, `"prompt_tokens":4096`, 0, 4096, 4096},
		{"http://127.0.0.1:9/v1", false, `"prompt_tokens":4096`, 0, 0, 0},
		{"http://model.test/v1", true, `"prompt_tokens":4096`, 0, 0, 0},
		{"http://8.8.8.8/v1", true, `"prompt_tokens":4096`, 0, 0, 0},
		{"http://127.0.0.1:9/v1", true, `"prompt_tokens":4096,"prompt_tokens_details":{"cached_tokens":4000}`, 0, 0, 0},
		{"http://127.0.0.1:9/v1", true, `"prompt_tokens":4096`, 32768, 4096, 32768}, // the person's word stays, and the session is told
		{"http://127.0.0.1:9/v1", true, `"prompt_tokens":4096`, 4096, 0, 4096},
	} {
		synctest.Test(t, func(t *testing.T) {
			var asked atomic.Int64
			c := testCatalog(t, func(w http.ResponseWriter, _ *http.Request) {
				asked.Add(1)
				fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}],\"usage\":{%s,\"completion_tokens\":1}}\n\ndata: [DONE]\n\n", row.usage)
			})
			c.Providers = []Provider{{Name: "p", BaseURL: row.address, APIKeys: []string{"k-123456"}, Models: map[string]ModelConfig{"m": {Window: row.window}}}}
			if row.counts {
				c.Exact = func(_, text string) int64 { return int64(len(text) / 4) }
			}
			m := open(t, c, "p/m")
			var done Done
			for range 2 {
				for part, err := range m.Stream(t.Context(), ask(strings.Repeat("word ", 8000))) {
					if err != nil {
						t.Fatal(err)
					}
					if d, is := part.(Done); is {
						done = d
					}
				}
			}
			if got := m.Info().Window; done.Window != row.want || got != row.known || asked.Load() != 2 {
				t.Errorf("%s %s %d: said %d, known %d, want %d and %d", row.address, row.usage, row.window, done.Window, got, row.want, row.known)
			}
		})
	}
}
