package web

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/agent-sidecar/agent-sidecar/internal/outbound"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// world is a network of which every address leads to one real server on this
// machine: what the guard lets through really connects, and is seen.
type world struct {
	*Web
	server *httptest.Server
	at     string // where every connection really goes

	out outbound.Settings

	mu        sync.Mutex            // guards everything below
	names     map[string][][]string // answers of DNS by name, one after the other; the last stays
	asked     int
	connected []string
	words     map[string]Judgement // by prefix of the URL
	requests  []*http.Request
}

// newWorld serves h to whoever gets through. Every address may be fetched unless
// words say otherwise.
func newWorld(t *testing.T, h http.HandlerFunc) *world {
	t.Helper()
	w := &world{names: map[string][][]string{}, words: map[string]Judgement{}}
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.requests = append(w.requests, r)
		w.mu.Unlock()
		h(rw, r)
	}))
	t.Cleanup(w.server.Close)
	w.at = w.server.Listener.Addr().String()
	w.Web = New("test", func() outbound.Settings { return w.out })
	w.network.server = w.dns(t)
	w.connect = func(ctx context.Context, _, address string, control func(network, address string, c syscall.RawConn) error) (net.Conn, error) {
		at := netip.MustParseAddrPort(address)
		network := "tcp6"
		if at.Addr().Unmap().Is4() {
			network, address = "tcp4", netip.AddrPortFrom(at.Addr().Unmap(), at.Port()).String()
		}
		d := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error { return control(network, address, c) }}
		conn, err := d.DialContext(ctx, "tcp", w.at)
		if err == nil {
			w.mu.Lock()
			w.connected = append(w.connected, address)
			w.mu.Unlock()
		}
		return conn, err
	}
	return w
}

// leads lets a name have these addresses, one list a question; the last one stays.
func (w *world) leads(name string, to ...[]string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.names[name] = to
}

// lookups is how often an address was asked for.
func (w *world) lookups() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked
}

// dns serves our own answers over UDP.
func (w *world) dns(t *testing.T) func(context.Context, string, string) (net.Conn, error) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if answer := w.answer(buf[:n]); answer != nil {
				conn.WriteTo(answer, from)
			}
		}
	}()
	t.Cleanup(func() { conn.Close(); <-served })
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}
}

// answer is nil for a name that is "silent.example".
func (w *world) answer(query []byte) []byte {
	var p dnsmessage.Parser
	head, err := p.Start(query)
	if err != nil {
		return nil
	}
	q, err := p.Question()
	if err != nil || q.Name.String() == "silent.example." {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	name := strings.TrimSuffix(strings.ToLower(q.Name.String()), ".")
	var now []string
	if all := w.names[name]; len(all) > 0 {
		now = all[0]
		if q.Type == dnsmessage.TypeA && len(all) > 1 {
			w.names[name] = all[1:]
		}
	}
	if q.Type == dnsmessage.TypeA {
		w.asked++
	}
	code := dnsmessage.RCodeSuccess
	if now == nil {
		code = dnsmessage.RCodeNameError
	}
	b := dnsmessage.NewBuilder(nil, dnsmessage.Header{ID: head.ID, Response: true, RCode: code, RecursionAvailable: true})
	_ = b.StartQuestions()
	_ = b.Question(q)
	_ = b.StartAnswers()
	for _, text := range now {
		ip := netip.MustParseAddr(text)
		header := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 0}
		switch {
		case ip.Is4() && q.Type == dnsmessage.TypeA:
			_ = b.AResource(header, dnsmessage.AResource{A: ip.As4()})
		case !ip.Is4() && q.Type == dnsmessage.TypeAAAA:
			_ = b.AAAAResource(header, dnsmessage.AAAAResource{AAAA: ip.As16()})
		}
	}
	out, err := b.Finish()
	if err != nil || binary.BigEndian.Uint16(out) != head.ID {
		return nil
	}
	return out
}

// judge is the permission of a session.
func (w *world) judge(object string) Judgement {
	w.mu.Lock()
	defer w.mu.Unlock()
	best, word := -1, Judgement{Verdict: Allowed}
	for prefix, j := range w.words {
		if strings.HasPrefix(object, "url:"+prefix) && len(prefix) > best {
			best, word = len(prefix), j
		}
	}
	return word
}

// fetch plans and runs a call as a session does.
func (w *world) fetch(t *testing.T, url, format string) (tool.Result, error) {
	t.Helper()
	args, err := json.Marshal(fetchArgs{url, format})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := w.Fetch(w.judge).Plan(args)
	if err != nil {
		return tool.Result{}, err
	}
	return plan.Run(t.Context(), tool.Grant{}, nil)
}

// text is what the model reads of a fetch that has to work.
func (w *world) text(t *testing.T, url string) string {
	t.Helper()
	r, err := w.fetch(t, url, "")
	if err != nil || r.Failed {
		t.Fatalf("%s: %v %s", url, err, r.Text)
	}
	return r.Text
}

// fails is why a fetch that must not work does not.
func (w *world) fails(t *testing.T, url string) string {
	t.Helper()
	r, err := w.fetch(t, url, "")
	if err != nil {
		return err.Error()
	}
	if !r.Failed {
		t.Errorf("%s: it worked: %s", url, r.Text)
	}
	return r.Text
}

func (w *world) met() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	met := w.connected
	w.connected = nil
	return met
}

func mustAddress(t *testing.T, text string) Address {
	t.Helper()
	a, err := ParseAddress(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
