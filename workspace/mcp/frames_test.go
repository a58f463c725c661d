package mcp

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

// through is what a text becomes on its way through frames, and why it ended.
func through(text string, set func(*frames)) (out string, noise []string, err error) {
	f := newFrames(strings.NewReader(text), func(line []byte) { noise = append(noise, string(line)) })
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
		{`{"jsonrpc":"2.0","method":"notifications/progress"}`, true, false},
		{``, false, false}, {`   `, false, false},
		{`listening`, false, true}, {`{`, false, true}, {`{}`, false, true}, {`[` + anAnswer + `]`, false, true}, {`7`, false, true},
		{`{"jsonrpc":"1.0","id":1,"result":{}}`, false, true},
		{`{"jsonrpc":"2.0","id":1}`, false, true},
		{`{"jsonrpc":"2.0","id":null,"result":{}}`, false, true},
		{`{"jsonrpc":"2.0","id":1.5,"result":{}}`, false, true},
		{`{"jsonrpc":"2.0","id":{},"result":{}}`, false, true},
		{`{"jsonrpc":"2.0","id":1,"error":7}`, false, true},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, false, true},
		{`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", idBytes) + `","result":{}}`, false, true},
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

// The largest message, at the edge: what is larger is an error at the call that it
// answers, wherever SDKs write the id, and nothing at all where it answers none.
func TestFramesLargest(t *testing.T) {
	const large = "the answer has "
	for n, refused := range map[int]bool{frameBytes - 1: false, frameBytes: false, frameBytes + 1: true} {
		line := `{"jsonrpc":"2.0","id":1,"result":{"x":"` + strings.Repeat("x", n-43) + "\"}}\n"
		if len(line) != n {
			t.Fatalf("%d bytes, not %d", len(line), n)
		}
		out, _, err := through(line+anAnswer, nil)
		if err != nil || strings.Contains(out, large) != refused || !strings.HasSuffix(out, "\n"+anAnswer+"\n") {
			t.Errorf("%d: %.100q, %v", n, out, err)
		}
	}
	x := `{"x":"` + strings.Repeat("x", frameBytes) + `"}`
	for line, answered := range map[string]bool{
		`{"result":` + x + `,"jsonrpc":"2.0","id":7}`: true, `{"result":` + x + `, "id": 7, "jsonrpc": "2.0" } `: true, ` { "id" : 7 , "result":` + x + `}`: true,
		`{"jsonrpc":"2.0","method":"notifications/message","params":` + x + `}`: false, `{"jsonrpc":"2.0","id":"7","result":` + x + `}`: false, x: false,
	} {
		out, _, err := through(line+"\n"+anAnswer, nil)
		if err != nil || strings.HasPrefix(out, `{"jsonrpc":"2.0","id":7,"error"`) != answered || !strings.HasSuffix(out, anAnswer+"\n") {
			t.Errorf("%.60q: %.100q, %v", line, out, err)
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
		line := strings.Repeat("x", 1<<20-1) + "\n"
		f := newFrames(io.LimitReader(&endless{text: line}, int64(n)), nil)
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

// What a server writes that is no message does not end its connection.
func TestGarbageIsLeftOut(t *testing.T) {
	_, echo, _ := one(t, "garbage")
	if r := outputtest.Run(t, echo, `{}`); r.Text != "echo {}" {
		t.Errorf("%+v", r)
	}
}

func TestAnswerThatIsTooLarge(t *testing.T) {
	w, echo, _ := one(t, "150 MB")
	if r := outputtest.Run(t, echo, `{}`); !r.Failed {
		t.Errorf("%+v", r)
	}
	w.untilProblem(errGiant.Error())
}
