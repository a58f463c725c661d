package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

func clean(body io.Reader) (string, error) {
	r := newEventReader(io.NopCloser(body), nil)
	out, err := io.ReadAll(r)
	return string(out), err
}

// FuzzSSE: whatever comes, what goes out are lines that go-openai cannot
// misread, the same however the bytes were split, and cleaning it again
// changes nothing. The fold over them never fails either.
func FuzzSSE(f *testing.F) {
	files, _ := filepath.Glob("testdata/streams/*.stream")
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(raw), "--- body\n")
		body, _, _ := strings.Cut(rest, "--- want\n")
		f.Add([]byte(body))
		f.Add([]byte(strings.ReplaceAll(body, "\n", "\r\n")))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		out, err := clean(bytes.NewReader(body))
		split, splitErr := clean(iotest.OneByteReader(bytes.NewReader(body)))
		if out != split || (err == nil) != (splitErr == nil) {
			t.Fatalf("whole: %q %v\nsplit: %q %v", out, err, split, splitErr)
		}
		replies := []reply{&answer{}, &output{}}
		for line := range strings.Lines(out) {
			data, ok := strings.CutPrefix(line, "data: ")
			data = strings.TrimSuffix(data, "\n")
			if !ok || data != "[DONE]" && !json.Valid([]byte(data)) || strings.HasPrefix(data, `{"error":`) || strings.ContainsAny(data, "\n\r") {
				t.Fatalf("gave out %q", line)
			}
			for _, a := range replies {
				a.add([]byte(data), func(Part) bool { return true })
			}
		}
		for _, a := range replies {
			d := a.done("p", "m")
			if d.Opaque != nil {
				for name, raw := range d.Opaque.Fields {
					if !json.Valid(raw) {
						t.Fatalf("opaque %s is %q", name, raw)
					}
				}
			}
			back := Request{Messages: []Message{{Role: "assistant", Text: d.Text, Calls: d.Calls, Opaque: d.Opaque}}}
			chat := encodeRequest(back, Info{Provider: "p", Name: "m"}, nil).body.whole()
			responses := encodeResponses(back, Info{Provider: "p", Name: "m"}, nil).body.whole()
			if !json.Valid(chat) || !json.Valid(responses) {
				t.Fatalf("sent back as %q or %q", chat, responses)
			}
		}
		if again, err := clean(strings.NewReader(out)); again != out || err != nil {
			t.Fatalf("cleaned %q\nagain %q %v", out, again, err)
		}
	})
}

func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 5<<20)
	out, err := clean(strings.NewReader(`data: {"a":"` + long + `"}` + "\n"))
	if err != nil || len(out) != len(long)+len("data: {\"a\":\"\"}\n") {
		t.Errorf("a line of 5 MB gave %d bytes, %v", len(out), err)
	}
	endless := io.LimitReader(endlessly('x'), 1<<30)
	var u *errUnreadable
	if _, err := clean(io.MultiReader(strings.NewReader("data: "), endless)); !errors.As(err, &u) {
		t.Errorf("an endless line: %v", err)
	}
	if _, err := clean(&repeated{line: []byte("data: {\n"), n: 1 << 30}); !errors.As(err, &u) {
		t.Errorf("an endless event: %v", err)
	}
	var many answer
	one := []byte(`{"choices":[{"delta":{"tool_calls":[{"id":"x","function":{"name":"x"}}]}}]}`)
	for i := range maxCalls + 1 {
		more := many.add(bytes.Replace(one, []byte("x"), fmt.Appendf(nil, "x%d", i), 1), func(Part) bool { return true })
		if more != (i < maxCalls) {
			t.Fatalf("call %d: go on is %v", i, more)
		}
	}
	if _, err := clean(&repeated{line: []byte(": " + strings.Repeat("life ", 1500) + "\n"), n: 1 << 30}); !errors.As(err, &u) {
		t.Errorf("endless comments: %v", err)
	}
	if _, err := clean(&repeated{line: []byte(strings.Repeat("hello world, this is a web page ", 100) + "\n"), n: 1 << 30}); !errors.As(err, &u) {
		t.Errorf("an endless page: %v", err)
	}
}

type endlessly byte

func (e endlessly) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

// repeated gives a line again and again, n bytes at most.
type repeated struct {
	line []byte
	n    int
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.n -= len(p); r.n < 0 {
		return 0, io.EOF
	}
	n := 0
	for n+len(r.line) <= len(p) {
		n += copy(p[n:], r.line)
	}
	return n, nil
}

// BenchmarkStream is the cost of a delta from bytes to Part.
func BenchmarkStream(b *testing.B) {
	const line = `data: {"id":"chatcmpl-123","object":"chat.completion.chunk","created":1694268190,"model":"gpt-4o-mini","system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":{"content":" hello"},"logprobs":null,"finish_reason":null}],"usage":null}` + "\n\n"
	b.ReportAllocs()
	r := newEventReader(io.NopCloser(strings.NewReader(strings.Repeat(line, min(b.N, 500_000)))), nil)
	var a answer
	for i := 0; i < b.N; i++ {
		data := []byte(strings.TrimPrefix(line[:len(line)-2], "data: "))
		if i < 500_000 {
			var buf [4096]byte
			if _, err := r.Read(buf[:]); err != nil {
				b.Fatal(err)
			}
		}
		a.add(data, func(Part) bool { return true })
	}
}
