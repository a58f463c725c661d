package signin

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/testclient/oauthserver"
)

type variables map[string]string

func (v variables) get(name string) string { return v[name] }

// file is the text of the file of tokens.
func (w *world) file() string {
	w.t.Helper()
	text, err := os.ReadFile(w.path(w.s))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

// answerTo is where the server sends a browser that has signed in.
func (w *world) answerTo(address string) string {
	stay := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := stay.Get(address)
	if err != nil {
		w.t.Error(err)
		return ""
	}
	defer resp.Body.Close()
	return resp.Header.Get("Location")
}

// swap is an address with another member in its query.
func swap(address, member, value string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	q := u.Query()
	q.Set(member, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// A token that has ended is renewed once, however many need it, and whoever they are: each
// keeper here is another process as far as files and locks can tell.
func TestRenewedOnce(t *testing.T) {
	w := newWorld(t)
	w.server.Lifetime = 1 // it ends before it can be used
	w.signedIn()
	w.server.Change(func(s *oauthserver.Server) { s.Lifetime = 3600 })
	var all sync.WaitGroup
	for range 8 {
		one := *w
		one.Keeper = &Keeper{Home: w.Home}
		all.Go(one.works)
	}
	all.Wait()
	if n := w.server.Asked("POST /token"); n != 2 {
		t.Errorf("the token endpoint was asked %d times", n)
	}
	if got := w.server.Forms()[1]; got.Get("grant_type") != "refresh_token" || got.Get("resource") != w.s.URL {
		t.Errorf("%v", got)
	}
}

// A token that the server no longer takes is replaced although it should still be good.
func TestRefusedToken(t *testing.T) {
	w := newWorld(t)
	w.signedIn()
	w.server.Forget()
	w.works()
	if n := w.server.Asked("POST /token"); n != 2 {
		t.Errorf("the token endpoint was asked %d times", n)
	}
}

// A renewal that is refused ends the sign-in; one that cannot be asked for does not.
func TestRenewalFails(t *testing.T) {
	w := newWorld(t)
	w.server.Lifetime = 1
	w.signedIn()
	w.server.Change(func(s *oauthserver.Server) { s.Down = true })
	if _, err := w.request(); err == nil || needsSignIn(err) || !w.SignedIn(w.s) {
		t.Errorf("nobody answers: %v, signed in %v", err, w.SignedIn(w.s))
	}
	w.server.Change(func(s *oauthserver.Server) { s.Down, s.RefreshError = false, "temporarily_unavailable" })
	_, err := w.request()
	if err == nil || needsSignIn(err) || !w.SignedIn(w.s) || strings.Contains(err.Error(), "refresh-") {
		t.Errorf("not now: %v, signed in %v", err, w.SignedIn(w.s))
	}
	w.server.Change(func(s *oauthserver.Server) { s.RefreshError = "invalid_grant" })
	w.wantsSignIn("the last sign-in has ended")
	if w.SignedIn(w.s) {
		t.Error("tokens are kept")
	}
}

// A request that the sign-in does not cover fails alone; what else is forbidden is none of our business.
func TestForbidden(t *testing.T) {
	w := newWorld(t)
	w.signedIn()
	h := w.Handler(w.s, func(err error) { t.Errorf("the sign-in has ended: %v", err) })
	for header, want := range map[string]string{`Bearer error="insufficient_scope", scope="notes:write"`: `set mcp.notes.oauth.scopes, with "notes:write" in it`, `Bearer error="other"`: "", "": ""} {
		resp := &http.Response{StatusCode: http.StatusForbidden, Body: http.NoBody, Header: http.Header{"Www-Authenticate": {header}}}
		err := h.Authorize(t.Context(), &http.Request{}, resp)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", header, err)
		}
	}
	if !w.SignedIn(w.s) || w.server.Asked("POST /token") != 1 {
		t.Error("the sign-in was touched")
	}
}

// Without a token to renew it, a sign-in ends with its token.
func TestNothingToRenew(t *testing.T) {
	w := newWorld(t)
	w.server.NoRefresh, w.server.Lifetime = true, 1
	w.signedIn()
	w.wantsSignIn("the last sign-in has ended")
}

// A file that others could read, that is no file, or that is broken gives no token; signing in mends it.
func TestFileOfTokens(t *testing.T) {
	for _, row := range []struct {
		name  string
		spoil func(path string) error
		want  string
	}{
		{"read by others", func(path string) error { return os.Chmod(path, 0o644) }, "may have been read by others"},
		{"a link", func(path string) error {
			if err := os.Rename(path, path+".moved"); err != nil {
				return err
			}
			return os.Symlink(path+".moved", path)
		}, "may have been read by others"},
		{"broken", func(path string) error { return os.WriteFile(path, []byte(`{"accessToken": "a`), 0o600) }, "is broken"},
		{"of another", func(path string) error {
			return os.WriteFile(path, []byte(`{"server": "other", "url": "https://a.example", "accessToken": "a"}`), 0o600)
		}, "of another server"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			w.signedIn()
			path := w.path(w.s)
			if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
				t.Fatalf("%v %v", info.Mode(), err)
			}
			if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
				t.Fatalf("%v %v", info.Mode(), err)
			}
			if err := row.spoil(path); err != nil {
				t.Fatal(err)
			}
			w.wantsSignIn(row.want)
			w.signedIn()
			if info, err := os.Lstat(path); err != nil || info.Mode() != 0o600 {
				t.Errorf("%v %v", info.Mode(), err)
			}
			w.works()
		})
	}
}

// A server that has moved, or another one of the same name, gets no token of before.
func TestMovedServer(t *testing.T) {
	w, other := newWorld(t), newWorld(t)
	w.signedIn()
	before := w.s
	w.s.URL = other.s.URL
	w.wantsSignIn("")
	w.s.URL = before.URL + "?x=1"
	w.wantsSignIn("")
	was, _, err := w.SignOut(t.Context(), w.s)
	if !was || err != nil || w.server.Asked("POST /revoke") != 1 {
		t.Errorf("the sign-in of the former address: %v %v", was, err)
	}
	if w.SignedIn(before) {
		t.Error("tokens of the former address are kept")
	}
}

// Who gave the tokens may not be there: they are forgotten all the same.
func TestSignOutAlone(t *testing.T) {
	w := newWorld(t)
	w.signedIn()
	w.server.Close()
	was, told, err := w.SignOut(t.Context(), w.s)
	if !was || told == nil || err != nil || w.SignedIn(w.s) {
		t.Errorf("%v %v %v", was, told, err)
	}
}

func needsSignIn(err error) bool {
	_, is := errors.AsType[*NeededError](err)
	return is
}
