package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/outbound"
	"github.com/agent-sidecar/agent-sidecar/testclient/proxy"
	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
)

// The password of the proxies of these tests, as it is written and as it is meant.
const (
	proxyPassword = "hunter%4022"
	meantPassword = "hunter@22"
)

// corporate is a network where everything is behind a proxy with a user and a password, and
// behind an authority of its own: a scripted model that wants to know who is calling, and pages.
type corporate struct {
	*proxy.Authority
	*proxy.Proxy
	address string // of the proxy, with user and password
	model   *scriptmodel.Model
}

func newCorporate(t *testing.T, script string) *corporate {
	t.Helper()
	model, err := scriptmodel.New(script)
	if err != nil {
		t.Fatal(err)
	}
	c := &corporate{Authority: proxy.NewAuthority(t, "Corp Root"), model: model}
	server := httptest.NewUnstartedServer(model)
	server.TLS = c.Asking("llm.corp.example")
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	t.Cleanup(server.Close)
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/inner" {
			http.Redirect(w, r, "http://10.0.0.1/secret", http.StatusFound)
			return
		}
		fmt.Fprintf(w, "the page of %s", r.Host)
	}))
	t.Cleanup(pages.Close)
	c.Proxy = proxy.Start(t, proxy.Options{User: "me", Password: meantPassword, To: map[string]string{
		"llm.corp.example:443": server.Listener.Addr().String(), "93.184.216.34:80": pages.Listener.Addr().String(), "10.0.0.1:80": pages.Listener.Addr().String(),
	}})
	c.address = strings.Replace(c.URL, "//", "//me:"+proxyPassword+"@", 1)
	return c
}

// shell is one whose model is that of the network. members are those of `network`.
func (c *corporate) shell(t *testing.T, members string, env ...string) *shell {
	t.Helper()
	return newShell(t, `{"model": "corp/scripted", "providers": {"corp": {"baseUrl": "https://llm.corp.example/v1", "apiKeys": ["k-0123456789"]}},
  "agents": {"runtime": {"retry": {"maxAttempts": 1}}},
  "network": {`+members+`}}`, env...)
}

// files writes what a person has been given into the home of a shell.
func (c *corporate) files(t *testing.T, s *shell) {
	t.Helper()
	home := filepath.Join(s.home, ".agent-sidecar")
	c.File(home)
	c.Client(home, "ada", time.Now().Add(100*24*time.Hour))
}

// holdSecret: the password is nowhere but where the person has written it.
func holdSecret(t *testing.T, s *shell, outputs ...string) {
	t.Helper()
	for _, text := range outputs {
		if strings.Contains(text, proxyPassword) || strings.Contains(text, meantPassword) {
			t.Errorf("the password is in: %s", text)
		}
	}
	err := filepath.WalkDir(s.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == "config.jsonc" {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), proxyPassword) || strings.Contains(string(text), meantPassword) {
			t.Errorf("the password is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

const corporateMembers = `"caFile": "authority.pem", "certFile": "ada.pem", "keyFile": "ada.key"`

// The whole program behind a proxy: the model and a page are reached, the page by the address
// that was judged; a redirect to a private address is not followed, although the proxy could.
func TestBehindAProxy(t *testing.T) {
	c := newCorporate(t, `call a web_fetch {"url": "http://93.184.216.34/x"}
---
when the page of 93\.184\.216\.34
call b web_fetch {"url": "http://93.184.216.34/inner"}
---
when 10\.0\.0\.1 is on a private network
say All read.
`)
	s := c.shell(t, `"proxy": "`+c.address+`", `+corporateMembers)
	c.files(t, s)
	code, out, errs := s.run(t, "", "run", "--yes", "read it")
	if code != 0 || !strings.Contains(out, "All read.") {
		t.Errorf("exit %d: %s %s", code, out, errs)
	}
	met := c.Asked()
	slices.Sort(met)
	if got := strings.Join(slices.Compact(met), ", "); got != "CONNECT 93.184.216.34:80, CONNECT llm.corp.example:443" {
		t.Error(got)
	}
	_, report, _ := s.run(t, "", "doctor", "--offline")
	for _, says := range []string{
		"info  network    models, MCP servers and pages are reached through the proxy http://«set»@" + c.Addr + " (network.proxy)\n",
		"authority.pem: 1 authorities beside those of the system; valid until ", "ada.pem: the client certificate of CN=ada; valid until ",
	} {
		if !strings.Contains(report, says) {
			t.Errorf("doctor does not say %q:\n%s", says, report)
		}
	}
	_, shown, _ := s.run(t, "", "config", "get", "network")
	if !strings.Contains(shown, "«set»@"+c.Addr) {
		t.Error(shown)
	}
	holdSecret(t, s, out, errs, report, shown)
}

// A proxy of the environment is that of models, not of pages.
func TestProxyOfTheEnvironment(t *testing.T) {
	c := newCorporate(t, `call a web_fetch {"url": "http://10.0.0.1/x"}
---
when private network
say Here.
`)
	s := c.shell(t, corporateMembers, "HTTPS_PROXY="+c.address, "HTTP_PROXY="+c.address)
	c.files(t, s)
	code, out, errs := s.run(t, "", "run", "--yes", "read it")
	if code != 0 || !strings.Contains(out, "Here.") {
		t.Errorf("exit %d: %s %s", code, out, errs)
	}
	if got := strings.Join(slices.Compact(c.Asked()), ", "); got != "CONNECT llm.corp.example:443" {
		t.Error(got)
	}
	_, report, _ := s.run(t, "", "doctor", "--offline")
	for _, says := range []string{
		"models and MCP servers are reached through the proxy http://«set»@" + c.Addr + " (HTTPS_PROXY)\n",
		"HTTPS_PROXY is set; web_fetch and web_search connect directly",
	} {
		if !strings.Contains(report, says) {
			t.Errorf("doctor does not say %q:\n%s", says, report)
		}
	}
	holdSecret(t, s, out, errs, report)

	off := c.shell(t, `"proxy": "none", `+corporateMembers, "HTTPS_PROXY="+c.address)
	c.files(t, off)
	before := len(c.Asked())
	code, out, _ = off.run(t, "", "run", "--yes", "read it")
	if code == 0 || len(c.Asked()) != before {
		t.Errorf("exit %d, %v: %s", code, c.Asked(), out)
	}
	if _, report, _ := off.run(t, "", "doctor", "--offline"); !strings.Contains(report, `no proxy is used (network.proxy is "none")`) {
		t.Error(report)
	}
}

// What is wrong with the way out ends a run in words that say what to do, and doctor says it at
// the place where it is written.
func TestWayOutIsWrong(t *testing.T) {
	c := newCorporate(t, "say Hello.\noptional\n")
	refusing := strings.Replace(proxy.Start(t, proxy.Options{Refuse: 403}).URL, "//", "//me:"+proxyPassword+"@", 1)
	for what, row := range map[string]struct{ members, run, doctor string }{
		"no password":    {`"proxy": "` + c.URL + `", ` + corporateMembers, "wants a user and password (HTTP 407); write them into network.proxy", "through the proxy http://" + c.Addr},
		"forbidden":      {`"proxy": "` + refusing + `"`, "does not allow a connection to llm.corp.example:443 (HTTP 403)", "«set»@"},
		"no authority":   {`"proxy": "` + c.address + `"`, "name its file in network.caFile", "«set»@"},
		"file gone":      {`"proxy": "` + c.address + `", "caFile": "gone.pem"`, "gone.pem cannot be used: there is no such file", "config.jsonc:3:14: network.caFile "},
		"no certificate": {`"proxy": "` + c.address + `", "caFile": "authority.pem"`, "asks for a client certificate: network.certFile", "«set»@"},
		"key gone":       {`"proxy": "` + c.address + `", "caFile": "authority.pem", "certFile": "ada.pem", "keyFile": "gone.key"`, "asks for a client certificate: network.keyFile ", "gone.key cannot be used: there is no such file; connections that need it fail"},
		"no address":     {`"proxy": "http//me:` + proxyPassword + `@proxy"`, "nothing is connected to: network in the configuration cannot be used", `network: proxy must be "none", or begin with http://`},
	} {
		s := c.shell(t, row.members)
		c.files(t, s)
		code, out, errs := s.run(t, "", "run", "--yes", "hi")
		if code == 0 || !strings.Contains(out+errs, row.run) {
			t.Errorf("%s: exit %d: %s %s", what, code, out, errs)
		}
		_, report, _ := s.run(t, "", "doctor", "--offline")
		if !strings.Contains(report, row.doctor) {
			t.Errorf("%s: doctor does not say %q:\n%s", what, row.doctor, report)
		}
		holdSecret(t, s, out, errs, report)
	}
}

// Certificates that end are told before they do, and when they have.
func TestDoctorTellsOfCertificatesThatEnd(t *testing.T) {
	authority := proxy.NewAuthority(t, "Corp Root")
	for until, says := range map[time.Duration]string{-time.Hour: "FAIL  network ", 48 * time.Hour: "warn  network "} {
		s := newShell(t, `{"network": {"certFile": "ada.pem", "keyFile": "ada.key"}}`)
		authority.Client(filepath.Join(s.home, ".agent-sidecar"), "ada", time.Now().Add(until))
		if _, report, _ := s.run(t, "", "doctor", "--offline"); !strings.Contains(report, says) {
			t.Errorf("%v: %s", until, report)
		}
	}
}

// The way out by what the configuration and the environment say: pages have no proxy that only
// the environment names.
func TestNetworkOfPages(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                                     "http://env:1 h | - h",
		`{"network": {"caFile": "a.pem"}}`:       "http://env:1 h | - h",
		`{"network": {"proxy": "none"}}`:         "- - | - -",
		`{"network": {"proxy": "http://own:2"}}`: "http://own:2 - | http://own:2 -",
		`{"network": {"proxy": "http://own:2", "noProxy": ["a", "b"]}}`:      "http://own:2 a,b | http://own:2 a,b",
		`{"network": {"noProxy": ["a"]}}`:                                    "http://env:1 a | - a",
		`{"network": {"proxy": "http://own:2", "proxyResolves": "perhaps"}}`: "http://env:1 h broken | - h broken",
	} {
		home := t.TempDir()
		if err := os.WriteFile(filepath.Join(home, "config.jsonc"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		store, err := config.Open(home, config.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := &wiring{home: home, env: func(name string) string {
			return map[string]string{"HTTPS_PROXY": "http://env:1", "HTTP_PROXY": "http://env:1", "NO_PROXY": "h"}[name]
		}}
		shown := func(s outbound.Settings) string {
			words := []string{cmp.Or(s.HTTPS, "-"), cmp.Or(s.NoProxy, "-")}
			if s.HTTP != s.HTTPS {
				words = append(words, s.HTTP)
			}
			if s.Broken != "" {
				words = append(words, "broken")
			}
			return strings.Join(words, " ")
		}
		if got := shown(w.network(store.Settings())) + " | " + shown(w.networkOfPages(store.Settings())); got != want {
			t.Errorf("%s: %s, not %s", text, got, want)
		}
	}
}
