package model

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// quirkStream is a file of testdata/streams: what a provider sends, and what
// comes of it.
type quirkStream struct {
	status int
	kind   string
	api    string
	body   string
	want   struct {
		Text      string
		Reasoning string
		Calls     []struct {
			ID, Name, Arguments string
			Extra               json.RawMessage
		}
		Finish string
		Cut    bool
		Usage  *struct {
			Input, Output, Cached, CacheWrite int64
			Cost                              *float64
		}
		Opaque map[string]any
		Error  *struct {
			Kind   Kind
			Says   string
			Window int64
		}
	}
}

func readQuirk(t *testing.T, file string) (q quirkStream) {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(raw), "--- body\n")
	body, want, ok2 := strings.Cut(rest, "--- want\n")
	if !ok || !ok2 {
		t.Fatal("a stream file has a head, a body and a want")
	}
	q.status, q.kind = 200, "text/event-stream"
	for line := range strings.Lines(head) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch name {
		case "why":
		case "status":
			q.status, _ = strconv.Atoi(value)
		case "content-type":
			q.kind = value
		case "api":
			q.api = value
		case "end":
			body = strings.TrimSuffix(body, "\n")
		case "eol":
			body = strings.ReplaceAll(body, "\n", map[string]string{"crlf": "\r\n", "cr": "\r"}[value])
		default:
			t.Fatalf("unknown head %q", line)
		}
	}
	q.body = body
	if err := json.Unmarshal([]byte(want), &q.want); err != nil {
		t.Fatalf("want: %v", err)
	}
	return q
}

// TestQuirks plays each stream through a real HTTP server, at once and in
// pieces of seven bytes.
func TestQuirks(t *testing.T) {
	files, err := filepath.Glob("testdata/streams/*.stream")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d streams: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".stream"), func(t *testing.T) {
			q := readQuirk(t, file)
			for _, piece := range []int{max(len(q.body), 1), 7} {
				c := testCatalog(t, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", q.kind)
					w.WriteHeader(q.status)
					for rest := q.body; rest != ""; {
						n := min(piece, len(rest))
						_, _ = w.Write([]byte(rest[:n]))
						w.(http.Flusher).Flush()
						rest = rest[n:]
					}
				})
				c.Retry.MaxAttempts = 1
				c.Providers[0].Models = map[string]ModelConfig{"m": {API: q.api}}
				req := ask("hi")
				q.check(t, hear(t.Context(), open(t, c, "test/m"), req))
			}
		})
	}
}

func (q quirkStream) check(t *testing.T, h heard) {
	t.Helper()
	if e := q.want.Error; e != nil {
		got := h.modelError()
		if got.Kind != e.Kind || !strings.Contains(got.Message, e.Says) || e.Window != got.Window {
			t.Errorf("got error %v of kind %s, window %d; want %s saying %q, window %d", h.err, got.Kind, got.Window, e.Kind, e.Says, e.Window)
		}
		if h.text != q.want.Text {
			t.Errorf("streamed %q before the error, want %q", h.text, q.want.Text)
		}
		return
	}
	if h.done == nil {
		t.Fatalf("no answer: %v", h.err)
	}
	d := h.done
	if d.Text != q.want.Text || h.text != q.want.Text || d.Reasoning != q.want.Reasoning || h.reasoning != q.want.Reasoning {
		t.Errorf("text %q (streamed %q), reasoning %q (streamed %q)", d.Text, h.text, d.Reasoning, h.reasoning)
	}
	if d.FinishReason != q.want.Finish || d.Cut != q.want.Cut {
		t.Errorf("finish %q, cut %v; want %q, %v", d.FinishReason, d.Cut, q.want.Finish, q.want.Cut)
	}
	if len(d.Calls) != len(q.want.Calls) {
		t.Fatalf("calls %+v, want %+v", d.Calls, q.want.Calls)
	}
	for i, c := range q.want.Calls {
		got := d.Calls[i]
		if got.ID != c.ID || got.Name != c.Name || got.Arguments != c.Arguments || h.deltas[i] != c.Arguments {
			t.Errorf("call %d is %+v (streamed %q), want %+v", i, got, h.deltas[i], c)
		}
		if !sameJSON(got.Extra, c.Extra) || !utf8.Valid(got.Extra) {
			t.Errorf("call %d has extra %s, want %s", i, got.Extra, c.Extra)
		}
	}
	switch u := q.want.Usage; {
	case u == nil && d.Usage == nil:
	case u == nil || d.Usage == nil:
		t.Errorf("usage %+v, want %+v", d.Usage, u)
	case fmt.Sprint(d.Usage.Input, d.Usage.Output, d.Usage.Cached, d.Usage.CacheWrite) != fmt.Sprint(u.Input, u.Output, u.Cached, u.CacheWrite) || !reflect.DeepEqual(d.Usage.Cost, u.Cost):
		t.Errorf("usage %+v, want %+v", d.Usage, u)
	}
	if (d.Opaque == nil) != (q.want.Opaque == nil) {
		t.Fatalf("opaque %+v, want %v", d.Opaque, q.want.Opaque)
	}
	if d.Opaque != nil {
		for name, raw := range d.Opaque.Fields {
			if !utf8.Valid(raw) {
				t.Errorf("opaque %s is no UTF-8: %q", name, raw)
			}
		}
		got, _ := json.Marshal(d.Opaque.Fields)
		want, _ := json.Marshal(q.want.Opaque)
		if !sameJSON(got, want) && len(d.Opaque.Fields)+len(q.want.Opaque) > 0 {
			t.Errorf("opaque\n%s, want\n%s", got, want)
		}
		if d.Opaque.Provider != "test" {
			t.Errorf("opaque of provider %q", d.Opaque.Provider)
		}
	}
}

func sameJSON(a, b []byte) bool {
	var x, y any
	_ = json.Unmarshal(a, &x)
	_ = json.Unmarshal(b, &y)
	return reflect.DeepEqual(x, y)
}
