package signin

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/agent-sidecar/agent-sidecar/testclient/oauthserver"
)

// world is a server that wants a sign-in and a home.
type world struct {
	*Keeper
	t      *testing.T
	server *oauthserver.Server
	s      Server
}

func newWorld(t *testing.T) *world {
	t.Helper()
	server := oauthserver.New()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		server.CloseClientConnections()
		server.Close()
	})
	never := func(time.Duration) <-chan time.Time { return nil }
	return &world{&Keeper{Home: t.TempDir(), After: never}, t, server, Server{Name: "notes", URL: server.MCP()}}
}

func page(accepted bool) Page {
	if accepted {
		return Page{"en", "Done", "You can close this window."}
	}
	return Page{"en", "Refused", "You can close this window."}
}

// signIn signs in as browse does with the address.
func (w *world) signIn(ctx context.Context, browse func(address string)) error {
	var browsing sync.WaitGroup
	defer browsing.Wait()
	return w.SignIn(ctx, w.s, Asking{Page: page, Show: func(address string) error {
		browsing.Go(func() { browse(address) })
		return nil
	}})
}

func (w *world) browses(address string) {
	if status, text, err := oauthserver.Browse(address); err != nil || status != 200 || !strings.Contains(text, "You can close this window.") {
		w.t.Errorf("%d %s %v", status, text, err)
	}
}

// signedIn signs in.
func (w *world) signedIn() {
	w.t.Helper()
	if err := w.signIn(w.t.Context(), w.browses); err != nil {
		w.t.Fatal(err)
	}
}

// fails signs in and wants this as the reason why it fails, before anybody is shown anything.
func (w *world) fails(want string) {
	w.t.Helper()
	err := w.SignIn(w.t.Context(), w.s, Asking{Page: page, Show: func(address string) error { return errors.New("shown " + address) }})
	if err == nil || !strings.Contains(err.Error(), want) {
		w.t.Errorf("%v, want %q", err, want)
	}
	if w.SignedIn(w.s) {
		w.t.Error("tokens are kept")
	}
}

// request sends one to the server as the client of MCP does, once more where a refusal could be mended.
func (w *world) request() (status int, err error) {
	h := w.Handler(w.s, func(error) {})
	req, resp, err := w.once(h)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		return resp.StatusCode, nil
	}
	if err := h.Authorize(w.t.Context(), req, resp); err != nil {
		return resp.StatusCode, err
	}
	_, again, err := w.once(h)
	if err != nil {
		return 0, err
	}
	defer again.Body.Close()
	return again.StatusCode, nil
}

func (w *world) once(h auth.OAuthHandler) (*http.Request, *http.Response, error) {
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.s.URL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		return nil, nil, err
	}
	from, err := h.TokenSource(w.t.Context())
	if err != nil {
		return nil, nil, err
	}
	token, err := from.Token()
	if err != nil {
		return nil, nil, err
	}
	if token != nil {
		req.Header.Set("Authorization", "Bearer "+token.AccessToken)
	}
	resp, err := http.DefaultClient.Do(req)
	return req, resp, err
}

// works says that the server takes requests.
func (w *world) works() {
	w.t.Helper()
	if status, err := w.request(); status != 200 || err != nil {
		w.t.Errorf("%d %v", status, err)
	}
}

// wantsSignIn says that requests fail because a person has to sign in, for this reason.
func (w *world) wantsSignIn(why string) {
	w.t.Helper()
	_, err := w.request()
	needed, is := errors.AsType[*NeededError](err)
	if !is || !strings.Contains(needed.Why, why) || !strings.Contains(err.Error(), "mcp login notes") {
		w.t.Errorf("%v, want a sign-in because of %q", err, why)
	}
}

// The whole way: nobody is signed in, a person signs in, and signs out.
func TestWholeWay(t *testing.T) {
	w := newWorld(t)
	w.wantsSignIn("")
	if n := w.server.Asked("GET /authorize") + w.server.Asked("POST /register"); n > 0 {
		t.Fatalf("%d steps of a sign-in that nobody asked for", n)
	}
	w.signedIn()
	w.works()
	exchange := w.server.Forms()[0]
	if exchange.Get("resource") != w.s.URL || len(exchange.Get("code_verifier")) < 43 {
		t.Errorf("%v", exchange)
	}
	if n := len(w.Secrets()); n != 2 {
		t.Errorf("%d secrets are known", n)
	}
	was, told, err := w.SignOut(t.Context(), w.s)
	if !was || told != nil || err != nil || w.server.Asked("POST /revoke") != 1 {
		t.Errorf("%v %v %v, revoked %d times", was, told, err, w.server.Asked("POST /revoke"))
	}
	w.wantsSignIn("")
	if was, _, err := w.SignOut(t.Context(), w.s); was || err != nil {
		t.Errorf("signed out twice: %v %v", was, err)
	}
}

// A program that its person has registered, with a secret in a variable.
func TestRegistered(t *testing.T) {
	w := newWorld(t)
	w.server.NoRegistration = true
	w.fails("set mcp.notes.oauth.clientId")
	w.server.Known, w.server.Lifetime = oauthserver.Client{ID: "ours", Secret: "geheim"}, 1
	w.s.ClientID, w.s.ClientSecretEnv, w.s.Scopes = "ours", "NOTES_SECRET", []string{"read", "write"}
	w.Env = variables{"NOTES_SECRET": "geheim"}.get
	w.signedIn()
	w.works() // with a new token
	for _, form := range w.server.Forms() {
		if form.Get("client_secret") != "geheim" {
			t.Errorf("%v", form)
		}
	}
	if text := w.file(); strings.Contains(text, "geheim") || !strings.Contains(text, `"write"`) {
		t.Error(text)
	}
	w.s.ClientID = "another"
	w.wantsSignIn("clientId has changed")
}

// Two answers come, one with another state: only the right one counts, and nobody listens behind it.
func TestAnswers(t *testing.T) {
	w := newWorld(t)
	var answered string
	err := w.signIn(t.Context(), func(address string) {
		back := w.answerTo(address)
		for _, wrong := range []string{
			swap(back, "state", "guessed"), swap(back, "state", ""), swap(back, "error", "access_denied"), swap(back, "code", ""),
			strings.Replace(back, "127.0.0.1", "localhost", 1), strings.Replace(back, "?", "x?", 1),
		} {
			if status, text, err := oauthserver.Browse(wrong); err == nil && status < 400 || strings.Contains(text, "guessed") {
				t.Errorf("%s: %d %s", wrong, status, text)
			}
		}
		w.browses(back)
		answered = back
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := oauthserver.Browse(answered); err == nil {
		t.Error("somebody still listens")
	}
	w.works()
}

// An answer that says who gives it is of the one who was asked.
func TestAnswerOfAnother(t *testing.T) {
	w := newWorld(t)
	err := w.signIn(t.Context(), func(address string) { w.browses(swap(w.answerTo(address), "iss", "https://evil.example")) })
	if err == nil || !strings.Contains(err.Error(), "of another server") || w.server.Asked("POST /token") > 0 {
		t.Errorf("%v, and %d codes were sent", err, w.server.Asked("POST /token"))
	}
	err = w.signIn(t.Context(), func(address string) { w.browses(swap(w.answerTo(address), "iss", w.server.URL)) })
	if err != nil {
		t.Error(err)
	}
	if sameIssuer("", &oauthex.AuthServerMeta{Issuer: "https://a.example", AuthorizationResponseIssParameterSupported: true}) == nil {
		t.Error("an answer of nobody was taken from one that says who it is")
	}
}

// The second answer to one question is nobody's, also while the first one is taken.
func TestSecondAnswer(t *testing.T) {
	l, err := listen(false, page)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	for i, want := range []int{200, 400} {
		status, _, err := oauthserver.Browse(l.address + "?code=c&state=" + l.state)
		if status != want || err != nil {
			t.Errorf("answer %d: %d %v", i+1, status, err)
		}
	}
}

// The page has nothing of the address, and no script could run in it.
func TestPage(t *testing.T) {
	l, err := listen(false, page)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	resp, err := http.Get(l.address + "?error=access_denied&error_description=%3Cscript%3Ex&state=" + l.state)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 400 || resp.Header.Get("Content-Security-Policy") != "default-src 'none'; frame-ancestors 'none'" || resp.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("%v", resp.Header)
	}
	if _, err := l.wait(t.Context(), nil); !errors.Is(err, errDeclined) || !strings.Contains(err.Error(), "access_denied") {
		t.Error(err)
	}
}

// A sign-in that nobody finishes ends, and leaves what was there before.
func TestNobodyComes(t *testing.T) {
	w := newWorld(t)
	w.signedIn()
	late := make(chan time.Time, 1)
	w.After = func(d time.Duration) <-chan time.Time {
		if d != 5*time.Minute {
			t.Errorf("%v", d)
		}
		return late
	}
	if err := w.signIn(t.Context(), func(string) { late <- time.Time{} }); !errors.Is(err, errLate) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := w.signIn(ctx, func(string) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	w.works()
}

// What is said of who signs people in is believed only as far as it goes together.
func TestDistrusts(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*oauthserver.Server)
		want   string
	}{
		{"no PKCE", func(s *oauthserver.Server) { s.Methods = nil }, "PKCE"},
		{"plain PKCE", func(s *oauthserver.Server) { s.Methods = []string{"plain"} }, "does not support PKCE with S256"},
		{"another issuer", func(s *oauthserver.Server) { s.Issuer = "https://evil.example" }, "does not match"},
		{"another resource", func(s *oauthserver.Server) { s.Resource = "https://evil.example/mcp" }, "https://evil.example/mcp"},
		{"tokens without TLS", func(s *oauthserver.Server) { s.TokenAt = "http://evil.example/token" }, "evil.example"},
		{"a file", func(s *oauthserver.Server) { s.TokenAt = "file://localhost/etc/passwd" }, "does not use https"},
		{"a password in the address", func(s *oauthserver.Server) { s.TokenAt = "https://u:geheim@evil.example/token" }, "not of a host alone"},
		{"no TLS", func(s *oauthserver.Server) { s.SignsIn = "http://evil.example" }, "does not use HTTPS"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			row.change(w.server)
			w.fails(row.want)
		})
	}
}

// A server elsewhere cannot make us ask this machine, and nobody makes us ask without TLS.
func TestFit(t *testing.T) {
	for _, row := range []struct {
		address string
		here    bool
		want    string
	}{
		{"https://a.example/token", false, ""}, {"https://a.example/token", true, ""},
		{"http://127.0.0.1:1/token", true, ""}, {"http://[::1]:1/token", true, ""}, {"http://localhost/token", true, ""},
		{"http://127.0.0.1:1/token", false, "on this machine"}, {"https://localhost./token", false, "on this machine"}, {"https://a.localhost/token", false, "on this machine"},
		{"https://[::ffff:127.0.0.1]/", false, "on this machine"},
		{"http://a.example/token", true, "https"}, {"javascript://localhost/%0aalert(1)", true, "https"}, {"https://u@a.example/", false, "host alone"}, {"/token", false, "host alone"},
	} {
		err := fitText(row.address, row.here)
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%s, from here %v: %v, want %q", row.address, row.here, err, row.want)
		}
	}
}

// Where the token endpoint leads to gets neither code nor verifier.
func TestTokenEndpointLeadsElsewhere(t *testing.T) {
	w, other := newWorld(t), newWorld(t)
	w.server.TokenLeads = other.server.URL + "/token"
	err := w.signIn(t.Context(), w.browses)
	if err == nil || !strings.Contains(err.Error(), "another address") || other.server.Asked("POST /token") > 0 {
		t.Errorf("%v, asked %d times", err, other.server.Asked("POST /token"))
	}
}
