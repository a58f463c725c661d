package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
)

// hostile is a name that would write the clipboard, clear the screen, turn the
// direction round, and begin a line of its own.
const hostile = "\x1b]52;c;cm0gLXJm\a\x1b[2J\u009b31m\u202e\u0085\n  → all is well"

// visibleText fails where a text has anything that a terminal would obey.
func visibleText(t *testing.T, where, text string) {
	t.Helper()
	if control.Lines(text) != text || strings.Contains(text, "\n  → all is well") {
		t.Errorf("%s reaches the terminal as it is: %q", where, text)
	}
}

// TestNamesOnTheTerminal: files, tools, sessions, servers and whatever else is named
// by a model, a command or a repository cannot act on the terminal, in any command.
func TestNamesOnTheTerminal(t *testing.T) {
	t.Parallel()
	const json = `\u001b]52;c;cm0gLXJm\u0007\u001b[2J\u009b31m\u202e\u0085\n  → all is well`
	const bash = `\u001b]52;c;cm0gLXJm\u0007\u202e\n  → all is well`
	model, err := scriptmodel.New(`
call c1 write {"path": "w` + json + `.txt", "content": "a\n"}
call c2 bash {"command": "echo b > \"c` + bash + `\"; echo \"` + json + `\"", "description": "` + json + `"}
call c3 read {"path": "nothing` + json + `"}
call c4 todo {"items": [{"text": "` + json + `", "status": "pending"}]}
---
say "` + strings.TrimSuffix(json, `\n  → all is well`) + `"`)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(model)
	defer server.Close()
	s := newShell(t, "", "OPENAI_BASE_URL="+server.URL+"/v1", "OPENAI_API_KEY=k-0123456789", "OPENAI_MODEL=scripted")
	if err := os.MkdirAll(filepath.Join(s.dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.write(t, filepath.Join(s.dir, ".git", "HEAD"), "ref: refs/heads/b\x1b[2J\u202e\n")
	code, out, errs := s.run(t, "", "run", "--yes", "Go"+strings.TrimSuffix(hostile, "\n  → all is well"))
	if code != 0 || !strings.Contains(out, "created w<U+001B>]52;c;") || !strings.Contains(out, "created c<U+001B>]52;c;") {
		t.Errorf("exit %d, %s\n%s", code, errs, out)
	}
	visibleText(t, "run", out+errs)
	bundle := filepath.Join(filepath.Dir(s.dir), "bundle"+hostile)
	for _, args := range [][]string{
		{"sessions"}, {"sessions", "--query", "all is well"}, {"sessions", "--query", hostile}, {"sessions", hostile},
		{"undo", "0001", "--dry-run"}, {"undo", "0001", hostile}, {"undo", hostile}, {"undo", "0001", "c2"}, {"undo", "0001"},
		{"audit", "show"}, {"audit", "show", hostile}, {"audit", "verify"}, {"audit", "verify", hostile + ".jsonl"}, {"audit", hostile},
		{"explain", "bash", `{"command": "rm w` + json + `"}`}, {"explain", hostile}, {"explain", "write", `{"path": "` + json + `", "content": ""}`},
		{"explain", "web_fetch", `{"url": "https://` + json + `/"}`}, {"explain", "read", "{" + hostile}, {"explain", "read", "{}", "--agent", hostile},
		{"export", hostile}, {"export", "0001", "-o", bundle}, {"export", "0001", "-o", bundle},
		{"import", bundle}, {"import", hostile}, {"replay", "0001"}, {"replay", "0001", "--events"}, {"replay", bundle, "--no-redact"}, {"replay", hostile},
		{"prompt", "--session", "0001"}, {"prompt", "--session", "0001", "--json"}, {"prompt", "--session", hostile}, {"prompt", "--agent", hostile}, {"prompt", hostile},
		{"config", "get", hostile}, {"config", "set", "model", hostile}, {"config", "set", hostile, "1"}, {"config", "reset", hostile}, {"config"}, {"config", "get", "model"},
		{"run", "--model", hostile, "hi"}, {"run", "--agent", hostile, "hi"}, {"demo", hostile}, {"schema", "--format", hostile}, {"hook", hostile}, {"hook", "temperature", hostile},
		{hostile}, {"--" + hostile}, {"--home", hostile + "/\x00", "sessions"}, {"--log", "/nowhere/" + hostile, "sessions"}, {"doctor", hostile},
	} {
		cmd := s.command(t, args...)
		out, _ := cmd.CombinedOutput() // some are mistakes; what they say counts
		visibleText(t, strings.Join(args[:min(2, len(args))], " "), string(out))
	}
	s.write(t, filepath.Join(s.home, ".agent-sidecar", "config.jsonc"), `{"un`+json+`": 1, "model": "`+json+`", "fallback": ["`+json+`/x"], "providers": {"`+json+`": {"apiKeyEnv": ["`+json+`"], "baseUrl": "`+json+`"}},
	  "mcp": {"a`+json+`": {"command": ["/nonexistent`+json+`"]}}, "hooks": {"tool.before": [{"command": ["./`+json+`"]}]}}`)
	for _, args := range [][]string{{"doctor"}, {"config"}, {"run", "hi"}, {"prompt"}, {"explain", "read", `{"path": "a"}`}} {
		out, _ := s.command(t, args...).CombinedOutput() // some are mistakes; what they say counts
		visibleText(t, "configuration, "+args[0], string(out))
	}
}

// TestArgumentsAreMadeVisible: whatever is formatted, with whatever verb.
func TestArgumentsAreMadeVisible(t *testing.T) {
	type named string
	got := showf("%s %v %q %s %v %v %d %5.1f %t %-4s|", hostile, os.ErrNotExist, hostile, named(hostile), []string{hostile}, &named0{hostile}, 7, 1.25, true, shown("ok"))
	visibleText(t, "showf", string(got))
	if !strings.HasSuffix(string(got), " 7   1.2 true ok  |") {
		t.Errorf("%s", got)
	}
	visibleText(t, "visibleJSON", string(visibleJSON([]byte(`{"a": "`+"\u202e\u009b\U000e0041"+`"}`))))
}

type named0 struct{ name string }

func (n *named0) Error() string { return n.name }

// TestOnlyShownReachesTheTerminal holds the wall from its other side: text becomes
// shown in one file, and the standard streams are used as they are only by what
// talks to programs.
func TestOnlyShownReachesTheTerminal(t *testing.T) {
	raw := map[string][]string{ // what uses a stream as it is
		"pipe": {"export.go", "hook.go", "main.go", "schema.go", "serve.go", "worker.go"},
		"to":   {"main.go", "shown.go", "log.go", "bundles.go"}, // the log escapes what it writes
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "shown" && name != "shown.go" {
					if _, constant := n.Args[0].(*ast.BasicLit); !constant {
						t.Errorf("%s: a text is called shown; title, lines or showf make it so", set.Position(n.Pos()))
					}
				}
			case *ast.SelectorExpr:
				id, _ := n.X.(*ast.Ident)
				std := id != nil && id.Name == "os" && (n.Sel.Name == "Stdout" || n.Sel.Name == "Stderr") && name != "main.go" && name != "serve.go" && name != "worker.go"
				print := id != nil && id.Name == "fmt" && strings.HasPrefix(n.Sel.Name, "Print")
				if in, is := raw[n.Sel.Name]; std || print || is && !slices.Contains(in, name) {
					t.Errorf("%s: %s is not for people; print through a screen", set.Position(n.Pos()), n.Sel.Name)
				}
			}
			return true
		})
	}
}
