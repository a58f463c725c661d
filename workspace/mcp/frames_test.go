package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

// through is what a text becomes on its way through frames, and why it ended.
func through(text string, set func(*frames)) (out string, noise []string, err error) {
	var g giants
	defer g.drop()
	f := newFrames(strings.NewReader(text), &g, func(line []byte) { noise = append(noise, string(line)) })
	if set != nil {
		set(f)
	}
	raw, err := io.ReadAll(f)
	return string(raw), noise, err
}

const anAnswer = `{"jsonrpc":"2.0","id":1,"result":{}}`

func TestFramesPass(t *testing.T) {
	for _, row := range []struct {
		line  string
		pass  bool
		noise bool
	}{
		{anAnswer, true, false},
		{`{"result":{},"id":1,"jsonrpc":"2.0"}`, true, false},
		{`  {"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"x"}} `, true, false},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, true, false},
		{`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, true, false},
		{`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`, false, false},
		{`{"jsonrpc":"2.0","method":"notifications/progress"}`, false, false},
		{``, false, false}, {`   `, false, false},
		{`listening`, false, true}, {`{`, false, true}, {`{}`, false, true}, {`[` + anAnswer + `]`, false, true}, {`7`, false, true},
		{`{"jsonrpc":"1.0","id":1,"result":{}}`, false, true},
		{`{"jsonrpc":"2.0","id":1}`, false, true},
		{`{"jsonrpc":"2.0","id":null,"result":{}}`, false, true},
		{`{"jsonrpc":"2.0","id":1.5,"result":{}}`, false, true},
		{`{"jsonrpc":"2.0","id":{},"result":{}}`, false, true},
		{`{"jsonrpc":"2.0","id":1,"error":7}`, false, true},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, false, true},
		{`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", jsonScalarBytes) + `","result":{}}`, false, true},
		{anAnswer + ` x`, false, true},
	} {
		out, noise, err := through(row.line+"\n"+anAnswer, nil)
		want := anAnswer + "\n"
		if row.pass {
			want = row.line + "\n" + want
		}
		if err != nil || out != want || (len(noise) == 1) != row.noise {
			t.Errorf("%.80s: %q, noise %q, %v", row.line, out, noise, err)
		}
	}
}

// The largest message in memory, at the edge.
func TestFramesLargest(t *testing.T) {
	for n, giant := range map[int]bool{frameBytes - 1: false, frameBytes: false, frameBytes + 1: true} {
		line := `{"jsonrpc":"2.0","id":1,"result":{"x":"` + strings.Repeat("x", n-43) + "\"}}\n"
		if len(line) != n {
			t.Fatalf("%d bytes, not %d", len(line), n)
		}
		out, _, err := through(line+anAnswer, nil)
		if err != nil || strings.Contains(out, giantMember) != giant || !strings.HasSuffix(out, "\n"+anAnswer+"\n") {
			t.Errorf("%d: %.100q, %v", n, out, err)
		}
	}
}

// How many messages are a flood, and how many bytes that nobody asked for.
func TestFramesFlood(t *testing.T) {
	for n, flood := range map[int]bool{floodFrames - 1: false, floodFrames: false, floodFrames + 1: true} {
		if _, _, err := through(strings.Repeat(anAnswer+"\n", n), nil); errors.Is(err, errFlood) != flood {
			t.Errorf("%d messages: %v", n, err)
		}
	}
	for n, flood := range map[int]bool{floodBytes - 1: false, floodBytes: false, floodBytes + 1: true} {
		var g giants
		line := strings.Repeat("x", 1<<20-1) + "\n"
		f := newFrames(io.LimitReader(&endless{text: line}, int64(n)), &g, nil)
		if _, err := io.Copy(io.Discard, f); errors.Is(err, errFlood) != flood {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// endless repeats a text.
type endless struct {
	text string
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.text[e.at:])
	e.at = (e.at + n) % len(e.text)
	return n, nil
}

func TestFramesOfEvents(t *testing.T) {
	text := "event: message\nid: 1\ndata: " + anAnswer + "\n\n: comment\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n"
	out, _, err := through(text, func(f *frames) { f.events = true })
	if want := "event: message\nid: 1\ndata: " + anAnswer + "\n\n: comment\n\n"; err != nil || out != want {
		t.Errorf("%q %v", out, err)
	}
	body := "{\n \"jsonrpc\": \"2.0\",\n \"id\": 1,\n \"result\": {}\n}"
	if out, _, err := through(body, func(f *frames) { f.single = true }); err != nil || out != body+"\n" {
		t.Errorf("%q %v", out, err)
	}
}

// told is what jsonWalk tells of a text that is given so many bytes at a time.
func told(text string, size int) map[string][]string {
	all := map[string][]string{}
	var open string
	w := jsonWalk{
		text: func(path string, piece []byte, done bool) {
			if open += string(piece); done {
				all[path], open = append(all[path], open), ""
			}
		},
		scalar: func(path, value string) { all[path] = append(all[path], value) },
	}
	for rest := []byte(text); len(rest) > 0; {
		n := min(size, len(rest))
		w.write(rest[:n])
		rest = rest[n:]
	}
	return all
}

func TestJSONWalk(t *testing.T) {
	for text, want := range map[string]string{
		anAnswer: "map[id:[1] jsonrpc:[2.0]]",
		`{"a":{"b":[{"c":"x"},{"c":"y","d":[1,true,null]}]},"e":-1.5e3}`: "map[a.b.c:[x y] a.b.d:[1 true null] e:[-1.5e3]]",
		`{"a":"\"\\\/\b\f\n\r\té🙂é"}`:                                    "map[a:[\"\\/\b\f\n\r\té🙂é]]",
		`{"a":"\ud800x\udc00"}`:                                          "map[a:[\uFFFDx\uFFFD]]",
		`{"id":1,"x":{"id":2},"y":[{"id":3}]}`:                           "map[id:[1] x.id:[2] y.id:[3]]",
		`{"result":{"content":[{"type":"text","text":"a"}]},"id":"z"}`:   "map[id:[z] result.content.text:[a] result.content.type:[text]]",
		`{"id" : 1 }`:             "map[id:[1]]",
		`{"":"x"}`:                "map[:[x]]",
		`]}]{"id":4}`:             "map[id:[4]]",
		`{"a":"never ends`:        "map[]",
		strings.Repeat("[", 2000): "map[]",
	} {
		for _, size := range []int{1, 2, 3, len(text)} {
			if got := fmt.Sprint(told(text, size)); got != want {
				t.Errorf("%.100s, %d at once: %s, want %s", text, size, got, want)
			}
		}
	}
	long := strings.Repeat("k", jsonKeyBytes)
	if got := told(`{"`+long+`x":1}`, 7); len(got[long]) != 1 {
		t.Errorf("%v", got)
	}
}

// What is JSON is told as encoding/json reads it, however it is cut; what is none
// breaks nothing.
func FuzzJSONWalk(f *testing.F) {
	for _, seed := range []string{anAnswer, `{"a":{"b":["x",1]},"a":"\ud800\ud800\udc00\n"}`, `["x"]`, `"x"`, `{"a":"\ud83d\ude42"}`, `}{`} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, text string, size int) {
		size = 1 + max(0, size)%20
		got := told(text, size)
		if whole := told(text, len(text)+1); fmt.Sprint(whole) != fmt.Sprint(got) {
			t.Fatalf("%q: %v in pieces of %d, %v at once", text, got, size, whole)
		}
		var v any
		if !utf8.ValidString(text) || !json.Valid([]byte(text)) || json.Unmarshal([]byte(text), &v) != nil {
			return
		}
		var want []string
		collect(v, &want)
		var have []string
		for _, path := range slices.Sorted(maps.Keys(got)) {
			have = append(have, got[path]...)
		}
		for _, s := range want { // members given twice make it more, never less
			if !slices.Contains(have, s) {
				t.Fatalf("%q: %q is not among %q", text, s, have)
			}
		}
	})
}

// collect lists the strings of a value, as far down as jsonWalk looks.
func collect(v any, into *[]string) {
	switch v := v.(type) {
	case string:
		*into = append(*into, v)
	case []any:
		for _, e := range v {
			collect(e, into)
		}
	case map[string]any:
		for _, e := range v {
			collect(e, into)
		}
	}
}

// A file that cannot be read to its end says so.
func TestLargeResultThatBreaks(t *testing.T) {
	var g giants
	m, err := g.create()
	if err != nil {
		t.Fatal(err)
	}
	m.file.Close()
	if r := largeResult(m, &outputtest.Kept{}); !strings.Contains(r.Text, "could not be read") {
		t.Errorf("%+v", r)
	}
	if _, err := io.ReadAll(newFrames(iotest.ErrReader(io.ErrUnexpectedEOF), &g, nil)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}
