// Package oauthserver is an MCP server that wants a sign-in, and who signs people in for it: a
// real one on loopback, for tests. It shares no code with what it tests.
package oauthserver

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Server is one that works as it should until one of its members says otherwise. They are
// changed before it is asked, or by Change.
type Server struct {
	*httptest.Server

	mu sync.Mutex // guards everything below

	Lifetime       int      // of a token, in seconds; 0 says nothing of it
	NoRefresh      bool     // gives no refresh tokens
	NoRegistration bool     // registers no programs
	Methods        []string // of PKCE; ["S256"] by default
	Issuer         string   // what it says of itself in the place of its address
	Resource       string   // what it says of the MCP server in the place of its address
	SignsIn        string   // who signs people in; "" is itself
	TokenAt        string   // where it says that tokens are
	TokenLeads     string   // where the token endpoint redirects to
	RefreshError   string   // refuses to renew, with this error
	Down           bool     // does not answer the token endpoint
	Known          Client   // is registered, its redirect address but for the port /callback

	redirects map[string][]string // by client
	codes     map[string]grant
	access    map[string]bool
	refresh   map[string]grant
	asked     []string // METHOD path, as asked
	forms     []url.Values
}

// Client is a program that is registered.
type Client struct{ ID, Secret string }

type grant struct{ client, redirect, challenge, resource, scope string }

// New starts one; the caller closes it.
func New() *Server {
	s := &Server{Lifetime: 3600, Methods: []string{"S256"}, redirects: map[string][]string{}, codes: map[string]grant{}, access: map[string]bool{}, refresh: map[string]grant{}}
	s.Server = httptest.NewServer(s)
	return s
}

// Change changes members while it works.
func (s *Server) Change(f func(*Server)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s)
}

// MCP is the address of the server that wants a sign-in.
func (s *Server) MCP() string { return s.URL + "/mcp" }

// Asked is how often it was asked something, as "POST /token".
func (s *Server) Asked(what string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.asked {
		if a == what {
			n++
		}
	}
	return n
}

// Forms are what the token and the revocation endpoint were sent.
func (s *Server) Forms() []url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.forms)
}

// Forget takes no token any more that it gave until now; those to renew them are as they were.
func (s *Server) Forget() { s.Change(func(s *Server) { clear(s.access) }) }

// Browse is a person's browser that signs in without a question. It gives the page at the end.
func Browse(address string) (status int, page string, err error) {
	own := http.Transport{DisableKeepAlives: true} // nothing of it is left behind
	resp, err := (&http.Client{Transport: &own}).Get(address)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

// ServeHTTP answers everything.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.Method+" "+r.URL.Path)
	form, _ := url.ParseQuery(string(body))
	switch r.URL.Path {
	case "/mcp":
		s.mcp(w, r, body)
	case "/.well-known/oauth-protected-resource/mcp":
		answer(w, 200, map[string]any{"resource": or(s.Resource, s.URL+"/mcp"), "authorization_servers": []string{or(s.SignsIn, s.URL)}, "scopes_supported": []string{"notes"}})
	case "/.well-known/oauth-authorization-server":
		about := map[string]any{
			"issuer": or(s.Issuer, s.URL), "authorization_endpoint": s.URL + "/authorize", "token_endpoint": or(s.TokenAt, s.URL+"/token"), "revocation_endpoint": s.URL + "/revoke",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": s.Methods, "token_endpoint_auth_methods_supported": []string{"none", "client_secret_post"},
		}
		if !s.NoRegistration {
			about["registration_endpoint"] = s.URL + "/register"
		}
		answer(w, 200, about)
	case "/register":
		s.register(w, body)
	case "/authorize":
		s.authorize(w, r)
	case "/token":
		s.forms = append(s.forms, form)
		s.token(w, r, form)
	case "/revoke":
		s.forms = append(s.forms, form)
		delete(s.refresh, form.Get("token"))
		delete(s.access, form.Get("token"))
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) mcp(w http.ResponseWriter, r *http.Request, body []byte) {
	token, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !is || !s.access[token] {
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer resource_metadata="%s/.well-known/oauth-protected-resource/mcp"`, s.URL))
		answer(w, 401, map[string]string{"error": "invalid_token"})
		return
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if r.Method != http.MethodPost || json.Unmarshal(body, &m) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if len(m.ID) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	results := map[string]string{
		"initialize": `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"locked","version":"1"}}`,
		"tools/list": `"result":{"tools":[{"name":"find","description":"Finds notes.","inputSchema":{"type":"object"}}]}`,
		"tools/call": `"result":{"content":[{"type":"text","text":"found"}]}`,
		"ping":       `"result":{}`,
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, or(results[m.Method], `"error":{"code":-32601,"message":"no such method"}`))
}

func (s *Server) register(w http.ResponseWriter, body []byte) {
	var in struct {
		RedirectURIs []string `json:"redirect_uris"`
		Method       string   `json:"token_endpoint_auth_method"`
	}
	if s.NoRegistration || json.Unmarshal(body, &in) != nil || len(in.RedirectURIs) == 0 {
		answer(w, 400, map[string]string{"error": "invalid_client_metadata"})
		return
	}
	id := "client-" + rand.Text()
	s.redirects[id] = in.RedirectURIs
	answer(w, 201, map[string]any{"client_id": id, "redirect_uris": in.RedirectURIs, "token_endpoint_auth_method": in.Method})
}

// authorize is a page where everybody says yes.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	g := grant{q.Get("client_id"), q.Get("redirect_uri"), q.Get("code_challenge"), q.Get("resource"), q.Get("scope")}
	back, err := url.Parse(g.redirect)
	known := slices.Contains(s.redirects[g.client], g.redirect) || g.client != "" && g.client == s.Known.ID && err == nil && back.Path == "/callback"
	if !known || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || g.challenge == "" || q.Get("state") == "" {
		http.Error(w, "this request is not one that can be answered", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	s.codes[code] = g
	back.RawQuery = url.Values{"code": {code}, "state": {q.Get("state")}}.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func (s *Server) token(w http.ResponseWriter, r *http.Request, form url.Values) {
	if s.Down {
		hijack(w)
		return
	}
	if s.TokenLeads != "" {
		http.Redirect(w, r, s.TokenLeads, http.StatusTemporaryRedirect)
		return
	}
	var g grant
	switch form.Get("grant_type") {
	case "authorization_code":
		g = s.codes[form.Get("code")]
		delete(s.codes, form.Get("code"))
		sum := sha256.Sum256([]byte(form.Get("code_verifier")))
		if g.challenge == "" || base64.RawURLEncoding.EncodeToString(sum[:]) != g.challenge || form.Get("redirect_uri") != g.redirect {
			g = grant{}
		}
	case "refresh_token":
		if s.RefreshError != "" {
			answer(w, 400, map[string]string{"error": s.RefreshError, "error_description": "of " + form.Get("refresh_token")})
			return
		}
		g = s.refresh[form.Get("refresh_token")]
		delete(s.refresh, form.Get("refresh_token")) // each is good for once
	}
	if g.client == "" || g.client != form.Get("client_id") || g.resource != form.Get("resource") || g.client == s.Known.ID && form.Get("client_secret") != s.Known.Secret {
		answer(w, 400, map[string]string{"error": "invalid_grant"})
		return
	}
	access := "access-" + rand.Text()
	s.access[access] = true
	out := map[string]any{"access_token": access, "token_type": "Bearer", "scope": g.scope}
	if s.Lifetime > 0 {
		out["expires_in"] = s.Lifetime
	}
	if !s.NoRefresh {
		again := "refresh-" + rand.Text()
		s.refresh[again] = g
		out["refresh_token"] = again
	}
	answer(w, 200, out)
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// hijack ends the connection without a word.
func hijack(w http.ResponseWriter) {
	if h, ok := w.(http.Hijacker); ok {
		if conn, _, err := h.Hijack(); err == nil {
			conn.Close()
		}
	}
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
