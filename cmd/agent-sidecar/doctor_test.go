package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// doctor looks at what a person has added: a broken agent file, a hook whose
// program is not there and a server that does not start are failures, a key that
// nobody knows is a warning, and what works is named. Nothing is left behind.
func TestDoctorLooksAtWhatIsOnesOwn(t *testing.T) {
	s := newShell(t, "")
	home := filepath.Join(s.home, ".agent-sidecar")
	files := map[string]string{
		"config.jsonc": `{
  "unknwon": 1,
  "tools": {"enabled": true},
  "mcp": {"notes": {"command": ["/bin/sh", "` + filepath.Join(home, "notes.sh") + `"]}, "dead": {"command": ["/nonexistent"]}},
  "hooks": {"tool.before": [{"command": ["./no-such-hook"]}], "chat.system": [{"command": ["agent-sidecar", "hook", "system-line", "x"]}]}
}`,
		"notes.sh": `while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
  case $line in
  *'"server/discover"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}\n' "$id" ;;
  *'"initialize"'*) answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"}}' ;;
  *'"tools/list"'*) answer '{"tools":[{"name":"find","description":"Finds.","inputSchema":{"type":"object"}}]}' ;;
  esac
done
`,
		"agents/reviewer.md":     "---\nname: reviewer\ndescription: reviews\nmode: subagent\n---\nReview.\n",
		"agents/broken.md":       "---\nname: [broken\n---\nx\n",
		"tools/issue/tool.jsonc": `{"description": "Shows an issue.", "command": ["./issue.sh"]}`,
	}
	for name, text := range files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		s.write(t, path, text)
	}
	before := list(t, s.home)
	code, out, errs := s.run(t, "", "doctor")
	for _, says := range []string{
		`warn  config `, `unknown key "unknwon"`,
		"FAIL  config ", "broken.md:2:1", "mcp server dead",
		"info  agents     reviewer\n", "info  tools      issue\n", "ok    mcp        notes: 1 tools\n",
		"FAIL  hook       tool.before 1: no-such-hook: ", "ok    hook       chat.system 1: agent-sidecar\n",
	} {
		if !strings.Contains(out, says) {
			t.Errorf("doctor does not say %q", says)
		}
	}
	if code != 1 || errs != "" {
		t.Errorf("exit %d, stderr %q", code, errs)
	}
	if t.Failed() {
		t.Log(out)
	}
	if after := list(t, s.home); len(after) != len(before) {
		t.Errorf("doctor leaves files: %v", after)
	}
}

// A model behind the first that lacks its key keeps no run from working, so it is
// doctor that says it.
func TestDoctorLooksAtFallbacks(t *testing.T) {
	s := newShell(t, `{"model": "p/a", "fallback": ["p/b", "q/c"], "providers": {"p": {"baseUrl": "http://127.0.0.1:1/v1"}, "q": {"baseUrl": "https://q.test/v1", "apiKeyEnv": ["Q_KEY"]}}}`)
	code, out, _ := s.run(t, "", "doctor", "--offline")
	if code != 1 || !strings.Contains(out, "info  model      p/a, which was not asked (--offline)\n") || !strings.Contains(out, `FAIL  fallback   no API key for provider "q" (q.test): set Q_KEY`) || strings.Contains(out, "p/b") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}

// Whether the model works is what the model says: doctor asks it once to call a tool, for next
// to nothing, and says in plain words what came back.
func TestDoctorAsksTheModel(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + free.Addr().String() + "/v1"
	free.Close() // nobody listens there now
	asked := make(chan string, 10)
	answers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method == http.MethodPost {
			asked <- string(body)
		}
		fail := func(status int, text string) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text)
		}
		switch {
		case r.Method != http.MethodPost:
			http.NotFound(w, r)
		case strings.HasPrefix(r.URL.Path, "/key/"):
			fail(401, `{"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}`)
		case strings.HasPrefix(r.URL.Path, "/gone/"):
			fail(404, `{"error": {"message": "The model m does not exist", "code": "model_not_found"}}`)
		case strings.HasPrefix(r.URL.Path, "/broken/"):
			fail(500, `{"error": {"message": "Something went wrong"}}`)
		default:
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"report\",\"arguments\":\"{\\\"word\\\":\\\"ok\\\"}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n")
		}
	}))
	defer answers.Close()
	for _, row := range []struct {
		url   string
		args  []string
		says  string
		words string
		asked int
	}{
		{answers.URL + "/v1", nil, "ok    model      openai/m answers and calls tools\n", "", 1},
		{answers.URL + "/key/v1", nil, "FAIL  model      openai/m refuses the key: ", "Incorrect API key provided", 1},
		{answers.URL + "/gone/v1", nil, "FAIL  model      openai/m is not a model of this server: ", "The model m does not exist", 1},
		{answers.URL + "/broken/v1", nil, "FAIL  model      openai/m does not answer as it should: ", "Something went wrong", 1},
		{closed, nil, "FAIL  model      openai/m is not reachable: ", "connection refused", 0},
		{closed, []string{"--offline"}, "info  model      openai/m, which was not asked (--offline)\n", "", 0},
		{answers.URL + "/v1", []string{"--offline"}, "info  model      openai/m, which was not asked (--offline)\n", "", 0},
	} {
		s := newShell(t, "", "OPENAI_BASE_URL="+row.url, "OPENAI_API_KEY=k-0123456789", "OPENAI_MODEL=m")
		code, out, errs := s.run(t, "", append([]string{"doctor"}, row.args...)...)
		if (code != 0) != strings.HasPrefix(row.says, "FAIL") || !strings.Contains(out, row.says) || !strings.Contains(out, row.words) || strings.Contains(out, "k-0123456789") {
			t.Errorf("%s %v: exit %d, want %q and %q:\n%s%s", row.url, row.args, code, row.says, row.words, out, errs)
		}
		if len(asked) != row.asked {
			t.Errorf("%s %v: asked %d times", row.url, row.args, len(asked))
		}
		for range len(asked) {
			if body := <-asked; len(body) > 1000 || !strings.Contains(body, `"max_tokens":256`) {
				t.Errorf("it asks for much: %s", body)
			}
		}
	}
}

// What doctor finds out of tools and of the window, and what it advises.
func TestDoctorSaysWhatTheModelCan(t *testing.T) {
	says := func(delta, finish string) string {
		return `data: {"choices":[{"delta":` + delta + `,"finish_reason":"` + finish + `"}]}` + "\n\ndata: [DONE]\n\n"
	}
	calls := says(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"report","arguments":"{}"}}]}`, "tool_calls")
	for _, row := range []struct {
		provider, model string            // what is configured of the provider, without its address, and of the model
		with, without   string            // the answers with and without a tool; what is no event is a refusal
		lists           map[string]string // by path
		code            int
		want            []string
	}{
		{"ollama", `{}`, calls, "", map[string]string{"/api/ps": `{"models":[{"name":"m","context_length":4096}]}`}, 0, []string{"ok    model      ollama/m answers and calls tools\n", "warn  window     4096 tokens (from the server, /api/ps), which is small for an agent. Ollama runs it with a larger one after OLLAMA_CONTEXT_LENGTH"}},
		{"llamacpp", `{}`, calls, "", map[string]string{"/props": `{"default_generation_settings":{"n_ctx":65536}}`}, 0, []string{"ok    window     65536 tokens (from the server, /props)\n"}},
		{"p", `{"window": 32768}`, calls, "", nil, 0, []string{"ok    window     32768 tokens (from your configuration)\n"}},
		{"p", `{"maxInput": 2000}`, calls, "", nil, 0, []string{"warn  window     2000 tokens (from your configuration), which is small for an agent.\n"}},
		{"p", `{}`, calls, "", map[string]string{"/v1/models": `{"data":[{"id":"m","max_model_len":32768}]}`}, 0, []string{"ok    window     32768 tokens (from the server, /v1/models)\n"}},
		{"p", `{}`, calls, "", nil, 0, []string{"info  window     not known."}},
		{"llamacpp", `{}`, says(`{"content":"<tool_call>{\"name\": \"report\", \"arguments\": {}}</tool_call>"}`, "stop"), "", nil, 1, []string{"FAIL  model      llamacpp/m answers, but writes calls of tools as text, so nothing would run. llama.cpp reads calls if llama-server is started with --jinja. Or set \"tools\": \"text\" for this model under providers in the configuration.\n"}},
		{"ollama", `{}`, says(`{"content":"I cannot call tools."}`, "stop"), "", nil, 0, []string{"warn  model      ollama/m answers, but did not call a tool when asked to.", "Ollama reads the calls of models whose page has the tag tools"}},
		{"p", `{}`, says(`{"reasoning_content":"Let me see"}`, "length"), "", nil, 0, []string{"info  model      p/m answers, but was cut short"}},
		{"ollama", `{}`, `{"error":{"message":"registry.ollama.ai/library/m does not support tools"}}`, says(`{"content":"ok"}`, "stop"), map[string]string{"/api/ps": `{"models":[{"name":"m","context_length":8192}]}`}, 0, []string{"warn  model      ollama/m answers, but did not call a tool when asked to.", "choose another model.\n", "warn  window     8192 tokens"}},
		{"ollama", `{}`, `{"error":{"message":"registry.ollama.ai/library/m does not support tools"}}`, says(`{"content":"`+"```tool_call"+`\n{\"name\": \"report\", \"arguments\": {\"word\": \"ok\"}}\n`+"```"+`"}`, "stop"), nil, 0, []string{"info  model      ollama/m answers. Its server offers no tools for it, so they are described in the system prompt, and it calls them.", "choose one of those.\n"}},
		{"p", `{}`, `{"error":{"message":"tools are off"}}`, `{"error":{"message":"all is off"}}`, nil, 1, []string{"FAIL  model      p/m refuses the question: tools are off"}},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if r.Method != http.MethodPost {
				if row.lists[r.URL.Path] == "" {
					http.NotFound(w, r)
				}
				_, _ = io.WriteString(w, row.lists[r.URL.Path])
				return
			}
			answer := row.without
			if strings.Contains(string(body), `"tools"`) {
				answer = row.with
			}
			if strings.HasPrefix(answer, "{") {
				w.WriteHeader(http.StatusBadRequest)
			}
			_, _ = io.WriteString(w, answer)
		}))
		config := `{"model": "` + row.provider + `/m", "providers": {"` + row.provider + `": {"baseUrl": "` + server.URL + `/v1", "models": {"m": ` + row.model + `}}}}`
		code, out, errs := newShell(t, config).run(t, "", "doctor")
		_, chinese, _ := newShell(t, config, "LANG=zh_CN.UTF-8").run(t, "", "doctor")
		server.Close()
		for _, want := range row.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s %s: it does not say %q:\n%s%s", row.provider, row.model, want, out, errs)
			}
		}
		if code != row.code {
			t.Errorf("%s %s: exit %d, want %d:\n%s", row.provider, row.model, code, row.code, out)
		}
		for line := range strings.Lines(chinese) {
			if about := strings.Fields(line); len(about) > 1 && (about[1] == "model" || about[1] == "window") && !strings.Contains(line, "有响应") && !strings.Contains(line, "token") && !strings.Contains(line, "拒绝") && !strings.Contains(line, "未知") {
				t.Errorf("not in Chinese: %s", line)
			}
		}
		if !strings.Contains(chinese, "/m ") || strings.Contains(chinese, "answers") {
			t.Errorf("not in Chinese:\n%s", chinese)
		}
	}
}

// What a sandbox does is said in words that need no manual.
func TestDoctorSandboxWords(t *testing.T) {
	for want, box := range map[string]sandbox.Report{
		"full (namespaces), no network. Known gap: sockets created during a command.": {Level: "namespaces", Network: "off", Files: "full", Missing: []string{"unix sockets that appear while a command runs, or are not where they were bound"}},
		"partial (landlock), no TCP, other network is open. Known gaps: a; b.":        {Level: "landlock", Network: "tcp-only", Files: "partial", Missing: []string{"a", "b"}},
		"full (x), with the network.":      {Level: "x", Network: "open", Files: "full"},
		"none: commands are not confined.": {Level: "none", Network: "open", Files: "partial", Missing: []string{"files"}},
	} {
		if got := sandboxWords(box).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Whether commands are asked about is said where it may surprise: not where the person
// wants to be asked, nor where the question that an older home has open cannot come.
func TestDoctorUnaskedWords(t *testing.T) {
	for _, c := range []struct {
		word        string
		open, whole bool
		want        string
	}{
		{"workspace", false, true, "commands run in the sandbox without asking"},
		{"workspace", false, false, "every command asks, although"},
		{"off", true, true, "every command asks. A run in a trusted folder asks you once"},
		{"off", true, false, ""}, {"off", false, true, ""}, {"off", false, false, ""},
	} {
		now := &config.Settings{UnaskedOpen: c.open}
		now.Sandbox.AutoAllow = c.word
		if got := unaskedWords(now, c.whole).String(); !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
