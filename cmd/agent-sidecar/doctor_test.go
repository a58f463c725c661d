package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	code, out, _ := s.run(t, "", "doctor")
	if code != 1 || !strings.Contains(out, "ok    model      p/a\n") || !strings.Contains(out, `FAIL  fallback   no API key for provider "q" (q.test): set Q_KEY`) || strings.Contains(out, "p/b") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}
