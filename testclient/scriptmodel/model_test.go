package scriptmodel_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/testclient"
	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
)

// ask posts a chat request and gives status, body and the read error.
func ask(t *testing.T, client *http.Client, url, body string) (int, http.Header, string, error) {
	t.Helper()
	res, err := client.Post(url+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	return res.StatusCode, res.Header, string(data), err
}

// joinStream gives text, reasoning, arguments of the first call and the finish reason.
func joinStream(t *testing.T, sse string) (text, think, args, finish string, chunks int) {
	t.Helper()
	s := bufio.NewScanner(strings.NewReader(sse))
	for s.Scan() {
		data, ok := strings.CutPrefix(s.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var c struct {
			Choices []struct {
				Delta struct {
					Content   string
					Reasoning string                                          `json:"reasoning_content"`
					ToolCalls []struct{ Function struct{ Arguments string } } `json:"tool_calls"`
				}
				FinishReason string `json:"finish_reason"`
			}
		}
		if json.Unmarshal([]byte(data), &c) != nil || len(c.Choices) == 0 {
			continue
		}
		chunks++
		text += c.Choices[0].Delta.Content
		think += c.Choices[0].Delta.Reasoning
		for _, call := range c.Choices[0].Delta.ToolCalls {
			args += call.Function.Arguments
		}
		finish += c.Choices[0].FinishReason
	}
	return
}

func newServer(t *testing.T, script string) (*scriptmodel.Model, *httptest.Server) {
	t.Helper()
	m, err := scriptmodel.New(script)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(m)
	t.Cleanup(s.Close)
	return m, s
}

const hello = `{"model":"m","stream":true,"stream_options":{"include_usage":true},"tools":[{"type":"function","function":{"name":"task"}}],"messages":[{"role":"system","content":"You use explore."},{"role":"user","content":"hello"}]}`

func TestModelStreamsATurn(t *testing.T) {
	m, s := newServer(t, `
think let me see
say one two three
call c1 read {"path":"a/long/path/of/a/file.txt","limit":100}
usage 7 8
`)
	status, _, body, err := ask(t, s.Client(), s.URL+"/v1", hello)
	if err != nil || status != 200 {
		t.Fatal(status, err)
	}
	text, think, args, finish, chunks := joinStream(t, body)
	if text != "one two three" || think != "let me see" || args != `{"path":"a/long/path/of/a/file.txt","limit":100}` || finish != "tool_calls" {
		t.Errorf("got %q %q %q %q", text, think, args, finish)
	}
	if chunks < 10 {
		t.Errorf("%d chunks: want word by word and several pieces of arguments", chunks)
	}
	if !strings.Contains(body, `"prompt_tokens":7`) || !strings.HasSuffix(body, "data: [DONE]\n\n") {
		t.Errorf("usage or [DONE] missing:\n%s", body)
	}
	if n, bytes := m.Count(); n != 1 || bytes != int64(len(hello)) {
		t.Errorf("counted %d requests, %d bytes", n, bytes)
	}
}

func TestModelRoutes(t *testing.T) {
	explore := `{"model":"m","messages":[{"role":"system","content":"You are the Explore agent."},{"role":"user","content":"find x"}],"tools":[{"type":"function","function":{"name":"read"}}]}`
	summary := `{"model":"m","tool_choice":"none","tools":[{"type":"function","function":{"name":"task"}}],"messages":[{"role":"user","content":"summarise"}]}`
	flat := `{"model":"m","messages":[{"role":"user","content":"summarise"}]}`
	tool := `{"model":"m","tools":[{"type":"function","function":{"name":"task"}}],"messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"bash","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"saved to out/1.txt."}]}`
	m, s := newServer(t, `
say first
---
when saved to (\S+)\.
say got $1
---
say second
--- for explore
say found
--- for compaction
summary short
---
say shorter
`)
	for i, step := range []struct{ body, want string }{
		{hello, "first"}, {explore, "found"}, {summary, "short"}, {hello, "second"}, {tool, "got out/1.txt"}, {flat, "shorter"},
	} {
		_, _, body, _ := ask(t, s.Client(), s.URL, strings.Replace(step.body, `"stream":true`, `"stream":false`, 1))
		if !strings.Contains(body, `"content":"`+step.want+`"`) {
			t.Errorf("request %d: want %q in %s", i, step.want, body)
		}
	}
	if p := m.Problems(); len(p) > 0 {
		t.Errorf("problems: %q", p)
	}
	status, _, body, _ := ask(t, s.Client(), s.URL, hello)
	if status != 500 || !strings.Contains(body, "no turn left for main") || len(m.Problems()) != 1 {
		t.Errorf("exhausted: %d %s %q", status, body, m.Problems())
	}
}

func TestModelFails(t *testing.T) {
	m, s := newServer(t, `
status 429 {"error":{"message":"slow"}} Retry-After: 2; X-A: b
---
say half of
drop
---
say x
error {"message":"boom","code":502}
---
say cut
finish length
---
callraw "" read {"path": "a
finish none
---
repeat 2
call c$N ls {}
---
optional
say never
---
say unused
`)
	status, header, body, _ := ask(t, s.Client(), s.URL, hello)
	if status != 429 || header.Get("Retry-After") != "2" || header.Get("X-A") != "b" || !strings.Contains(body, "slow") {
		t.Error(status, header, body)
	}
	_, _, body, err := ask(t, s.Client(), s.URL, hello)
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(body, "half") {
		t.Errorf("drop: %v %q", err, body)
	}
	if _, _, body, _ = ask(t, s.Client(), s.URL, hello); !strings.Contains(body, `data: {"error":{"message":"boom","code":502}}`) || strings.Contains(body, "DONE") {
		t.Errorf("error: %q", body)
	}
	_, _, body, _ = ask(t, s.Client(), s.URL, hello)
	if _, _, _, finish, _ := joinStream(t, body); finish != "length" {
		t.Errorf("finish: %q", body)
	}
	_, _, body, _ = ask(t, s.Client(), s.URL, hello)
	if _, _, args, finish, _ := joinStream(t, body); args != `{"path": "a` || finish != "" {
		t.Errorf("callraw: %q %q", args, finish)
	}
	for _, id := range []string{`"c1"`, `"c2"`} {
		if _, _, body, _ = ask(t, s.Client(), s.URL, hello); !strings.Contains(body, id) {
			t.Errorf("repeat: no %s in %s", id, body)
		}
	}
	if got := m.Unused(); len(got) != 1 || !strings.Contains(got[0], "never asked for") {
		t.Errorf("unused: %q", got)
	}
}

func TestModelWindowAndModels(t *testing.T) {
	_, s := newServer(t, "window 20\nmodels a b\n")
	status, _, body, _ := ask(t, s.Client(), s.URL, hello)
	if status != 400 || !strings.Contains(body, "context_length_exceeded") {
		t.Error(status, body)
	}
	res, err := s.Client().Get(s.URL + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if data, _ := io.ReadAll(res.Body); !strings.Contains(string(data), `"id":"b"`) {
		t.Errorf("%s", data)
	}
}

func TestModelHoldsHistoriesAgainstTheLaws(t *testing.T) {
	call := `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"x","arguments":"{}"}},{"id":"b","function":{"name":"x","arguments":"{}"}}]}`
	a, b := `{"role":"tool","tool_call_id":"a","content":"1"}`, `{"role":"tool","tool_call_id":"b","content":"2"}`
	user := `{"role":"user","content":"u"}`
	for name, c := range map[string]struct {
		messages []string
		bad      bool
	}{
		"valid":           {[]string{user, call, a, b, user}, false},
		"swapped":         {[]string{user, call, b, a}, true},
		"one is missing":  {[]string{user, call, a, user}, true},
		"none at the end": {[]string{user, call}, true},
		"orphan":          {[]string{user, a}, true},
		"twice":           {[]string{user, call, a, b, b}, true},
		"same id twice":   {[]string{user, strings.ReplaceAll(call, `"b"`, `"a"`), a, a}, true},
		"no id":           {[]string{user, strings.ReplaceAll(call, `"b"`, `""`), a, strings.ReplaceAll(b, `"b"`, `""`)}, true},
		"user between":    {[]string{user, call, a, user, b}, true},
		"no object":       {[]string{user, strings.ReplaceAll(call, `{}`, `5`), a, b}, true},
		"half of a pair":  {[]string{user, `{"role":"user","content":"\ud800"}`}, true},
	} {
		t.Run(name, func(t *testing.T) {
			m, s := newServer(t, "say ok")
			ask(t, s.Client(), s.URL, `{"model":"m","messages":[`+strings.Join(c.messages, ",")+`]}`)
			if got := m.Problems(); len(got) > 0 != c.bad {
				t.Errorf("problems: %q", got)
			}
		})
	}
}

func TestScriptErrorsNameTheirLine(t *testing.T) {
	for _, script := range []string{"say a\nsing b", "say a\ncall c1 read {", "say a\nwhen (", "say a\n--- to me", "say a\nstall soon", "say a\nstatus abc"} {
		if _, err := scriptmodel.New(script); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v", script, err)
		}
	}
}

// The scripted model works without a socket and on fake time.
func TestModelInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, err := scriptmodel.New("say before\nstall 30s\nsay after\n---\nstall 10m\nsay late")
		if err != nil {
			t.Fatal(err)
		}
		network := &testclient.Network{}
		l, err := network.Listen("model.test:80")
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: m}
		go server.Serve(l)
		transport := &http.Transport{DialContext: network.Dial}
		client := &http.Client{Transport: transport, Timeout: time.Minute}
		began := time.Now()
		_, _, body, err := ask(t, client, "http://model.test/v1", hello)
		if text, _, _, _, _ := joinStream(t, body); err != nil || text != "beforeafter" || time.Since(began) != 30*time.Second {
			t.Errorf("%v %q %v", err, text, time.Since(began))
		}
		if _, err := client.Post("http://model.test/v1/chat/completions", "", strings.NewReader(hello)); err == nil || time.Since(began) != 90*time.Second {
			t.Errorf("a stall longer than the client's patience: %v after %v", err, time.Since(began))
		}
		var refused *net.OpError
		if _, err := network.Dial(context.Background(), "tcp", "dead.test:80"); !errors.As(err, &refused) {
			t.Errorf("dial to nowhere: %v", err)
		}
		server.Close()
		transport.CloseIdleConnections()
	})
}

// A window refuses what is over it by one byte in a provider's words, usage can be
// what the request really has, and a watcher sees each request, of which nothing
// is kept.
func TestModelCounts(t *testing.T) {
	const frame = `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"%"}]}`
	sized := func(n int) string { return strings.Replace(frame, "%", strings.Repeat("x", n-len(frame)+1), 1) }
	m, s := newServer(t, "window 100\nusage counted\nsay seven b\nusage counted\n")
	var seen []scriptmodel.Request
	m.Watch = func(r scriptmodel.Request) { seen = append(seen, r) }
	status, _, body, err := ask(t, s.Client(), s.URL, sized(351))
	if err != nil || status != 400 || !strings.Contains(body, "maximum context length is 100 tokens. However, your messages resulted in 101 tokens.") {
		t.Error(status, body, err)
	}
	status, _, body, err = ask(t, s.Client(), s.URL, sized(350))
	if err != nil || status != 200 || !strings.Contains(body, `"completion_tokens":2,"prompt_tokens":100,`) {
		t.Error(status, body, err)
	}
	if len(seen) != 2 || seen[0].For != "window" || seen[0].Status != 400 || seen[1].For != "main" || len(seen[1].Body) != 350 || len(m.Requests()) != 0 {
		t.Errorf("%d seen, %d kept", len(seen), len(m.Requests()))
	}
}

// A turn can write the whole answer itself, each byte alone, and be for requests whose body
// has something.
func TestModelWritesExactBytes(t *testing.T) {
	m, err := scriptmodel.New("has \"tools\"\nhttp \"HTTP/1.1 418 No\\r\\nX: y\\r\\nContent-Length: 2\\r\\n\\r\\nno\"\n---\napart\nhttp \"HTTP/1.1 200 OK\\r\\n\\r\\n\"\nhttp \"\\xff\"")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(m)
	defer server.Close()
	ask := func(body string) (int, string, string) {
		status, header, text, err := ask(t, server.Client(), server.URL, body)
		if err != nil {
			t.Error(err)
		}
		return status, header.Get("X"), text
	}
	if status, _, text := ask(`{"messages":[{"role":"user","content":"tool"}]}`); status != 200 || text != "\xff" {
		t.Errorf("without tools: %d %q", status, text)
	}
	if status, x, text := ask(`{"messages":[{"role":"user","content":"hi"}],"tools":[]}`); status != 418 || x != "y" || text != "no" {
		t.Errorf("with tools: %d %q %q", status, x, text)
	}
}
