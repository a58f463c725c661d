package web

import (
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/outbound"
)

// DNS may say another thing each time it is asked. What counts is where the
// connection goes.
func TestRebinding(t *testing.T) {
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/again" {
			http.Redirect(rw, r, "/secret", http.StatusFound)
			return
		}
		rw.Write([]byte("reached"))
	})
	w.leads("rebind.example", []string{"93.184.216.34"}, []string{"127.0.0.1"})
	if text := w.text(t, "http://rebind.example/"); !strings.Contains(text, "reached") {
		t.Fatal(text)
	}
	if why := w.fails(t, "http://rebind.example/"); !strings.Contains(why, "rebind.example leads to 127.0.0.1, which is this machine") {
		t.Error(why)
	}
	w.leads("hop.example", []string{"93.184.216.34"}, []string{"127.0.0.1"})
	if why := w.fails(t, "http://hop.example/again"); !strings.Contains(why, "this machine") {
		t.Error(why)
	}
	// One answer with both: only the public one is connected to.
	w.leads("both.example", []string{"127.0.0.1", "10.0.0.1", "93.184.216.34"})
	w.met()
	if text := w.text(t, "http://both.example/"); !strings.Contains(text, "reached") {
		t.Error(text)
	}
	if met := w.met(); len(met) != 1 || met[0] != "93.184.216.34:80" {
		t.Errorf("connected to %v", met)
	}
	// One look decides: the name is asked once a connection, not once to check and once to dial.
	w.leads("once.example", []string{"93.184.216.34"})
	before := w.lookups()
	w.text(t, "http://once.example/")
	if n := w.lookups() - before; n != 1 {
		t.Errorf("asked %d times", n)
	}
}

// The real dialer, without anything in its place, against a real server here.
func TestRealDialerRefusesThisMachine(t *testing.T) {
	met := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { met <- r.Host }))
	defer server.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	w := New("test", nil)
	for _, host := range []string{"127.0.0.1", "localhost", "0.0.0.0", "127.127.127.127", "[::ffff:127.0.0.1]", "[::1]", "127.0.0.2"} {
		to := mustAddress(t, "http://"+host+":"+port+"/")
		g := newGuard(to, false)
		g.rules = newGuard(mustAddress(t, "http://"+host+":8080/"), false).rules
		conn, err := w.dial(t.Context(), outbound.Open(outbound.Settings{}, nil), g)
		var no *refused
		if err == nil || !errors.As(err, &no) {
			t.Errorf("%s: %v %v", host, conn, err)
		}
	}
	r, err := w.fetch(t.Context(), func(string) Judgement { return Judgement{Allowed, true} }, mustAddress(t, "http://127.0.0.1:"+port+"/"), formatMarkdown)
	if err != nil || r.Failed || len(met) != 1 {
		t.Error(r, err, len(met))
	}
	if r, err := New("test", nil).fetch(t.Context(), nil, mustAddress(t, server.URL), formatText); err != nil || !r.Failed {
		t.Error("without a judge everything is refused", r, err)
	}
}

// TLS is verified for the name that was judged, and HTTP/2 is spoken over it.
func TestTLS(t *testing.T) {
	w := newWorld(t, nil)
	w.leads("example.com", []string{"93.184.216.34"})
	w.leads("other.example", []string{"93.184.216.34"})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { fmt.Fprint(rw, "over ", r.Proto) }))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	w.at = server.Listener.Addr().String()
	if why := w.fails(t, "https://example.com/"); !strings.Contains(why, "certificate") {
		t.Error("no certificate is known:", why)
	}
	w.out.CAFile = filepath.Join(t.TempDir(), "ca.pem")
	known := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(w.out.CAFile, known, 0o600); err != nil {
		t.Fatal(err)
	}
	if text := w.text(t, "https://example.com/"); !strings.Contains(text, "over HTTP/2.0") {
		t.Error(text)
	}
	if why := w.fails(t, "https://other.example/"); !strings.Contains(why, "certificate") {
		t.Error("another name's certificate:", why)
	}
	if w.transport(guard{}, false).TLSClientConfig.MinVersion != tls.VersionTLS12 {
		t.Error("old TLS is spoken")
	}
}
