package web

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/outbound"
	"github.com/agent-sidecar/agent-sidecar/testclient/proxy"
)

// behindProxy is a world whose pages are reached through a proxy, which leads every address
// to the one server.
func behindProxy(t *testing.T, h http.HandlerFunc, o proxy.Options) (*world, *proxy.Proxy) {
	t.Helper()
	w := newWorld(t, h)
	if o.To == nil {
		o.To = map[string]string{"": w.at}
	}
	p := proxy.Start(t, o)
	address := strings.Replace(p.URL, "//", "//me:hunter22@", 1)
	w.out = outbound.Settings{HTTP: address, HTTPS: address, Origin: "network.proxy"}
	return w, p
}

func asked(t *testing.T, p *proxy.Proxy, want ...string) {
	t.Helper()
	if got := fmt.Sprint(p.Asked()); got != fmt.Sprint(want) {
		t.Errorf("the proxy was asked for %s, not for %s", got, want)
	}
}

// secureServer is a server over TLS that says which name and certificate it saw.
func secureServer(t *testing.T, config *tls.Config) string {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(rw, "%s as %s, %d certificates", r.Host, r.TLS.ServerName, len(r.TLS.PeerCertificates))
	}))
	server.TLS = config
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// The proxy is named the address that was judged, for plain pages too; the server sees the
// name, in TLS and in the request, and is judged by it.
func TestPagesThroughAProxy(t *testing.T) {
	w, p := behindProxy(t, func(rw http.ResponseWriter, r *http.Request) { fmt.Fprint(rw, "plain ", r.Host) }, proxy.Options{User: "me", Password: "hunter22"})
	w.leads("a.example", []string{"93.184.216.34"})
	if text := w.text(t, "http://a.example/x"); !strings.Contains(text, "plain a.example") {
		t.Error(text)
	}
	asked(t, p, "CONNECT 93.184.216.34:80")

	corp := proxy.NewAuthority(t, "Corp Root")
	w, p = behindProxy(t, nil, proxy.Options{To: map[string]string{"": secureServer(t, corp.Server("a.example"))}})
	w.leads("a.example", []string{"2606:2800:220:1::1"})
	w.leads("b.example", []string{"93.184.216.34"})
	if why := w.fails(t, "https://a.example/"); !strings.Contains(why, "name its file in network.caFile") {
		t.Error(why)
	}
	w.out.CAFile = corp.File(t.TempDir())
	if text := w.text(t, "https://a.example/"); !strings.Contains(text, "a.example as a.example") {
		t.Error(text)
	}
	asked(t, p, "CONNECT [2606:2800:220:1::1]:443", "CONNECT [2606:2800:220:1::1]:443")
	if why := w.fails(t, "https://b.example/"); !strings.Contains(why, "the certificate that answers for b.example is for a.example") {
		t.Error(why)
	}
	if met := w.met(); len(met) > 0 {
		t.Error("connected past the proxy:", met)
	}
}

// A name that leads to a private address is refused here: the proxy, which could connect
// there, is not even asked.
func TestBypassNameThatIsPrivateBehindAProxy(t *testing.T) {
	w, p := behindProxy(t, func(rw http.ResponseWriter, r *http.Request) { fmt.Fprint(rw, "reached") }, proxy.Options{})
	for name, to := range map[string]string{
		"a.example": "127.0.0.1", "b.example": "10.1.2.3", "c.example": "169.254.169.254", "d.example": "::1", "e.example": "fd00::1", "f.example": "100.64.0.1", "g.example": "0.0.0.0", "h.example": "::ffff:10.0.0.1",
	} {
		w.leads(name, []string{to})
		for _, scheme := range []string{"http", "https"} {
			if why := w.fails(t, scheme+"://"+name+"/"); !strings.Contains(why, name+" leads to ") {
				t.Error(name, why)
			}
		}
	}
	for _, host := range []string{"10.0.0.1", "127.0.0.1", "[::1]", "localhost", "[::ffff:10.0.0.1]"} {
		w.fails(t, "http://"+host+"/")
	}
	// Each question is judged anew, and with it what the proxy is asked for.
	w.leads("rebind.example", []string{"93.184.216.34"}, []string{"10.0.0.1"})
	w.text(t, "http://rebind.example/")
	if why := w.fails(t, "http://rebind.example/"); !strings.Contains(why, "rebind.example leads to 10.0.0.1") {
		t.Error(why)
	}
	asked(t, p, "CONNECT 93.184.216.34:80")
}

// A redirect is judged like a call of its own, behind a proxy as without.
func TestBypassRedirectToPrivateBehindAProxy(t *testing.T) {
	w, p := behindProxy(t, func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, "http://"+r.URL.Query().Get("to")+"/secret", http.StatusFound)
	}, proxy.Options{})
	w.leads("a.example", []string{"93.184.216.34"})
	w.leads("inner.example", []string{"10.0.0.1"})
	for _, to := range []string{"10.0.0.1", "127.0.0.1", "169.254.169.254", "inner.example", "localhost"} {
		if why := w.fails(t, "http://a.example/?to="+to); !strings.Contains(why, to) || !strings.Contains(why, "not fetched from") {
			t.Error(to, why)
		}
	}
	for _, one := range p.Asked() {
		if one != "CONNECT 93.184.216.34:80" {
			t.Error("the proxy was asked for", one)
		}
	}
}

// What a rule opens on this machine is connected to from here: the proxy's own machine is
// another one.
func TestOpenedMachineIsNotTheProxys(t *testing.T) {
	w, p := behindProxy(t, func(rw http.ResponseWriter, r *http.Request) { fmt.Fprint(rw, "development") }, proxy.Options{})
	w.words["http://dev.test"] = Judgement{Allowed, true}
	w.words["http://localhost"] = Judgement{Allowed, true}
	w.words["http://10.0.0.1"] = Judgement{Allowed, true}
	w.leads("dev.test", []string{"127.0.0.1"})
	w.text(t, "http://dev.test:5173/")
	w.text(t, "http://localhost:5173/")
	asked(t, p)
	w.text(t, "http://10.0.0.1:5173/") // a host of the network, which the proxy may reach
	asked(t, p, "CONNECT 10.0.0.1:5173")
	w.out.NoProxy = "10.0.0.0/8"
	w.text(t, "http://10.0.0.1:5173/")
	asked(t, p, "CONNECT 10.0.0.1:5173")
}

// Where only the proxy can look up names it is named the host; what is private by its text is
// refused all the same.
func TestProxyResolves(t *testing.T) {
	w, p := behindProxy(t, func(rw http.ResponseWriter, r *http.Request) { fmt.Fprint(rw, "reached ", r.Host) }, proxy.Options{})
	if why := w.fails(t, "http://nobody-here-knows.example/"); !strings.Contains(why, "there is no host") || !strings.Contains(why, "network.proxyResolves") {
		t.Error(why)
	}
	w.out.ProxyResolves = true
	if text := w.text(t, "http://nobody-here-knows.example/"); !strings.Contains(text, "reached nobody-here-knows.example") {
		t.Error(text)
	}
	for _, host := range []string{"10.0.0.1", "127.0.0.1", "[::1]", "localhost", "a.localhost", "intranet", "wiki.lan", "nas.local", "metadata.google.internal", "169.254.169.254", "[fd00::1]", "a.home.arpa", "a.example:22"} {
		if why := w.fails(t, "http://"+host+"/"); !strings.Contains(why, "fetched from") {
			t.Error(host, why)
		}
	}
	asked(t, p, "CONNECT nobody-here-knows.example:80")
	if n := w.lookups(); n != 1 {
		t.Errorf("%d names were looked up", n)
	}
}

// What a proxy refuses is said in words that say what to do, and without the password.
func TestProxyRefusesPages(t *testing.T) {
	for status, says := range map[int]string{
		403: "if it takes only names, network.proxyResolves says so", 407: "does not accept the user and password in network.proxy", 502: "cannot connect to 93.184.216.34:80 (HTTP 502)",
	} {
		w, _ := behindProxy(t, nil, proxy.Options{Refuse: status})
		w.leads("a.example", []string{"93.184.216.34"})
		if why := w.fails(t, "http://a.example/"); !strings.Contains(why, says) || strings.Contains(why, "hunter22") {
			t.Errorf("%d: %s", status, why)
		}
	}
	w := newWorld(t, nil)
	w.leads("a.example", []string{"93.184.216.34"})
	w.out.Broken = "network in the configuration cannot be used"
	if why := w.fails(t, "http://a.example/"); !strings.Contains(why, "nothing is connected to") || len(w.met()) > 0 {
		t.Error(why)
	}
}

// A page is never told who is calling, a search provider is: a person has configured it.
func TestBypassPageIsShownTheCertificate(t *testing.T) {
	corp := proxy.NewAuthority(t, "Corp Root")
	dir := t.TempDir()
	config := corp.Asking("a.example")
	config.ClientAuth = tls.VerifyClientCertIfGiven
	w := newWorld(t, nil)
	w.at = secureServer(t, config)
	w.leads("a.example", []string{"93.184.216.34"})
	w.out.CAFile = corp.File(dir)
	w.out.CertFile, w.out.KeyFile = corp.Client(dir, "ada", time.Now().Add(time.Hour))
	if text := w.text(t, "https://a.example/"); !strings.Contains(text, "0 certificates") {
		t.Error(text)
	}
	for own, want := range map[bool]string{true: "1 certificates", false: "0 certificates"} {
		transport := w.transport(newGuard(mustAddress(t, "https://a.example/"), true), own)
		resp, err := (&http.Client{Transport: transport}).Get("https://a.example/")
		if err != nil {
			t.Fatal(err)
		}
		text := make([]byte, 100)
		n, _ := resp.Body.Read(text)
		resp.Body.Close()
		if !strings.Contains(string(text[:n]), want) {
			t.Errorf("own %v: %s", own, text[:n])
		}
		transport.CloseIdleConnections()
	}
}
