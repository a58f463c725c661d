//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/testclient"
	"github.com/agent-sidecar/agent-sidecar/testclient/oauthserver"
)

// signInWindow is an editor's window on a home with a server that wants a sign-in.
func signInWindow(t *testing.T, opens bool) (w *window, server *oauthserver.Server, root string) {
	t.Helper()
	server = oauthserver.New()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	_, env := windowsOn(t, "say Without notes.\n---\ncall c1 mcp__notes__find {}\n---\nsay Found them.\n---\nsay It may be.\n")
	config := fmt.Sprintf(`{"mcp": {"notes": {"url": %q}}}`, server.MCP())
	if err := os.WriteFile(filepath.Join(env.Home, ".agent-sidecar", "config.jsonc"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	proc, err := startBinary(t)(env)
	if err != nil {
		t.Fatal(err)
	}
	w = &window{t, proc, testclient.NewClient(proc.Stdin, proc.Stdout)}
	w.ask("initialize", `{"processId": null, "rootUri": "file://%s", "initializationOptions": {"agentSidecar": {"trusted": true}}, "capabilities": {"window": {"showDocument": {"support": %v}}, "experimental": {"agentSidecar": {"versions": [1], "events": {}, "approvals": {}}}}}`, env.Vault, opens)
	w.c.Send(json.RawMessage(`{"jsonrpc":"2.0","method":"initialized","params":{}}`))
	return w, server, env.Root
}

// mcpAnswer is the answer to agent/mcp.
type mcpAnswer struct {
	URL     string
	Servers []struct {
		State    string
		SignedIn bool
		Tools    int
	}
}

func (w *window) mcp(op string) (out mcpAnswer) {
	w.t.Helper()
	raw, err := w.c.Call(w.t.Context(), "agent/mcp", json.RawMessage(fmt.Sprintf(`{"op": %q, "server": "notes"}`, op)))
	if err != nil || json.Unmarshal(raw, &out) != nil {
		w.t.Fatalf("%v %s\n%s", err, raw, w.proc.Stderr())
	}
	return out
}

// heard waits for a message of the server and gives its params.
func (w *window) heard(method, part string) json.RawMessage {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	m, _, err := w.c.Await(ctx, 0, func(m testclient.Message) bool {
		return m.Method == method && strings.Contains(string(m.Params), part)
	})
	if err != nil {
		w.t.Fatalf("%s %s: %v\n%s", method, part, err, w.proc.Stderr())
	}
	return m.Params
}

// holding are the files below root with a text in them.
func holding(t *testing.T, root, part string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(part)) {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// tellsNoToken holds that a token is in no bundle, also where somebody has written it into a prompt.
func (w *window) tellsNoToken(root string) {
	w.t.Helper()
	text, err := os.ReadFile(holding(w.t, root, "access-")[0])
	var kept struct{ AccessToken string }
	if err != nil || json.Unmarshal(text, &kept) != nil {
		w.t.Fatalf("%v %s", err, text)
	}
	w.ask("agent/run", `{"prompt": "Is it %s?", "await": true}`, kept.AccessToken)
	home := filepath.Join(root, "home")
	s := shell{dir: filepath.Join(root, "workspace"), home: home, env: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}}
	code, out, errs := s.run(w.t, "", "export", "0003")
	if code != 0 || !strings.Contains(out, "Is it ") || strings.Contains(out, kept.AccessToken) {
		w.t.Errorf("%d %s\n%s", code, errs, out)
	}
}

// TestSignInInAnEditor: the address is opened by the editor, or is in the answer where it opens
// none; once the person is through, the server works without another start. No token is on the
// wire, in the log of the session, its audit or its bundle.
func TestSignInInAnEditor(t *testing.T) {
	for _, opens := range []bool{true, false} {
		w, server, root := signInWindow(t, opens)
		w.ask("agent/run", `{"prompt": "Look into my notes.", "await": true}`)
		if got := w.mcp("list"); got.Servers[0].State != "needs_sign_in" {
			t.Fatalf("%+v", got)
		}
		answer := w.mcp("signIn")
		if opens == (answer.URL != "") {
			t.Errorf("opens addresses %v, and the answer has %q", opens, answer.URL)
		}
		if opens {
			var show struct {
				URI      string
				External bool
			}
			if err := json.Unmarshal(w.heard("window/showDocument", "authorize"), &show); err != nil || !show.External {
				t.Fatalf("%v %+v", err, show)
			}
			answer.URL = show.URI
		}
		if status, _, err := oauthserver.Browse(answer.URL); status != 200 || err != nil {
			t.Fatalf("%d %v", status, err)
		}
		w.heard("window/showMessage", "Signed in to the MCP server notes.")
		w.ask("agent/run", `{"prompt": "Look again.", "await": true}`)
		w.heard("agent/event", `"text":"found"`)
		if got := w.mcp("list").Servers[0]; got.State != "ready" || !got.SignedIn || got.Tools != 1 {
			t.Errorf("%+v", got)
		}
		if server.Asked("POST /mcp") == 0 || len(server.Forms()) != 1 {
			t.Errorf("%d exchanges", len(server.Forms()))
		}
		for _, r := range w.c.Records() {
			if strings.Contains(string(r.Frame), "access-") || strings.Contains(string(r.Frame), "refresh-") {
				t.Errorf("a token is on the wire: %s", r.Frame)
			}
		}
		if where := holding(t, root, "access-"); len(where) != 1 || filepath.Base(filepath.Dir(where[0])) != "mcp-tokens" {
			t.Errorf("tokens are in %q", where)
		}
		w.tellsNoToken(root)
		if got := w.mcp("signOut").Servers[0]; got.SignedIn {
			t.Errorf("%+v", got)
		}
		w.proc.Kill()
	}
}
