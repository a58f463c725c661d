package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/testclient/oauthserver"
	"github.com/agent-sidecar/agent-sidecar/workspace/mcp/signin"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

// locked is a server that wants a sign-in.
func locked(t *testing.T) (world, *oauthserver.Server, Server) {
	t.Helper()
	server := oauthserver.New()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		server.CloseClientConnections()
		server.Close()
	})
	home := t.TempDir()
	w := newWorldOf(t, Options{Home: home, SignIns: &signin.Keeper{Home: home}})
	return w, server, Server{Name: "notes", URL: server.MCP()}
}

// signIn signs in with a browser that asks nobody.
func (w world) signIn(c Server) {
	w.t.Helper()
	var browsing sync.WaitGroup
	err := w.SignIn(w.t.Context(), []Server{c}, c.Name, signin.Asking{
		Page: func(bool) signin.Page { return signin.Page{Text: "done"} },
		Show: func(address string) error {
			browsing.Go(func() {
				if status, _, err := oauthserver.Browse(address); err != nil || status != 200 {
					w.t.Errorf("%d %v", status, err)
				}
			})
			return nil
		},
	})
	browsing.Wait()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w world) standing(c Server) Standing { return w.States([]Server{c})[0].Standing }

// A server that wants a sign-in says so and gives no tools; when a person has signed in it has
// them, without another start. Nothing is asked of the person before.
func TestSignIn(t *testing.T) {
	w, server, c := locked(t)
	if got := w.standing(c); got != Idle {
		t.Errorf("before anything: %s", got)
	}
	if tools := w.start(c); len(tools) != 0 || w.standing(c) != NeedsSignIn {
		t.Fatalf("%d tools, %+v", len(tools), w.States([]Server{c}))
	}
	p := w.Problems()
	if len(p) != 1 || !p[0].SignIn || !p[0].Down || !strings.HasPrefix(p[0].Message, "it needs you to sign in: run agent-sidecar mcp login notes") {
		t.Errorf("%+v", p)
	}
	if n := server.Asked("GET /authorize") + server.Asked("POST /register"); n > 0 {
		t.Errorf("%d steps of a sign-in that nobody asked for", n)
	}
	w.signIn(c)
	if s := w.States([]Server{c})[0]; s.Standing != Ready || !s.SignedIn || s.Tools != 1 || s.Problem != "" || len(w.Problems()) > 0 {
		t.Errorf("%+v", s)
	}
	if r := outputtest.Run(t, w.Ready()[0], `{}`); r.Text != "found" || r.Failed {
		t.Errorf("%+v", r)
	}
	was, told, err := w.SignOut(t.Context(), []Server{c}, c.Name)
	if !was || told != nil || err != nil {
		t.Errorf("%v %v %v", was, told, err)
	}
	w.untilProblem("it needs you to sign in")
	if got := w.standing(c); got != NeedsSignIn {
		t.Errorf("signed out: %s", got)
	}
}

// A sign-in that ends while a server runs fails the call that met it, and says what to do.
func TestSignInEnds(t *testing.T) {
	w, server, c := locked(t)
	w.start(c)
	w.signIn(c)
	w.awaitTools(1)
	one := w.Ready()[0]
	server.Forget() // renewed on the way
	if r := outputtest.Run(t, one, `{}`); r.Text != "found" {
		t.Errorf("%+v", r)
	}
	server.Change(func(s *oauthserver.Server) { s.RefreshError = "invalid_grant" })
	server.Forget()
	if r := outputtest.Run(t, one, `{}`); !r.Failed || !strings.Contains(r.Text, "mcp login notes") {
		t.Errorf("%+v", r)
	}
	w.untilProblem("the last sign-in has ended")
	if got := w.standing(c); got != NeedsSignIn {
		t.Errorf("%s", got)
	}
}

// Who is called is said once: a server with a header of its own is never signed in to, and no
// program is.
func TestSignInIsNotFor(t *testing.T) {
	w, server, c := locked(t)
	c.Headers = map[string]string{"authorization": "Bearer geheim"}
	w.start(c)
	if p := w.Problems(); len(p) != 1 || p[0].SignIn || strings.Contains(p[0].Message, "geheim") {
		t.Errorf("%+v", p)
	}
	for _, row := range []struct {
		name   string
		config Server
		want   error
	}{{"notes", c, ErrNoSignIn}, {"files", Server{Name: "files", Command: []string{"x"}}, ErrNoSignIn}, {"nobody", c, ErrNoServer}} {
		if err := w.SignIn(t.Context(), []Server{row.config}, row.name, signin.Asking{}); err != row.want {
			t.Errorf("%s: %v", row.name, err)
		}
		if _, _, err := w.SignOut(t.Context(), []Server{row.config}, row.name); err != row.want {
			t.Errorf("%s: %v", row.name, err)
		}
	}
	if n := server.Asked("POST /register"); n > 0 {
		t.Errorf("registered %d times", n)
	}
}

// A server that repeats the token of a request, as one that helps to find errors may, does not
// bring it into the conversation.
func TestTokenIsHidden(t *testing.T) {
	for _, kind := range []string{"application/json", "text/event-stream"} {
		var h http.HandlerFunc = func(w http.ResponseWriter, r *http.Request) {
			byHand(kind, func(_ context.Context, id json.RawMessage, w http.ResponseWriter) {
				fmt.Fprintf(w, map[bool]string{true: "data: %s\n\n", false: "%s"}[kind == "text/event-stream"],
					fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"you sent %s."}]}}`, id, r.Header.Get("Authorization")))
			}).ServeHTTP(w, r)
		}
		w := newWorld(t, "")
		tools := w.start(Server{Name: "web", URL: serveHTTP(t, h), Headers: map[string]string{"Authorization": "Bearer geheim-geheim"}})
		if len(tools) != 1 {
			t.Fatalf("%+v", w.Problems())
		}
		if r := outputtest.Run(t, tools[0], `{}`); r.Text != "you sent Bearer «secret:token»." {
			t.Errorf("%s: %q", kind, r.Text)
		}
		w.Close()
	}
}
