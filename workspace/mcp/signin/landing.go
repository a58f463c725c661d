package signin

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	// mostWait is how long a person may take in their browser.
	mostWait = 5 * time.Minute
	// fixedPath is where those answers land whose address had to be registered before.
	fixedPath = "/callback"
	// farewell is how long the page at the end may take to get to the browser.
	farewell = time.Second
)

// Page is what a person reads at the end of a sign-in, in their language.
type Page struct{ Language, Title, Text string }

// Why a sign-in ends without an answer.
var (
	errLate     = errors.New("nobody signed in within 5 minutes")
	errDeclined = errors.New("the sign-in was refused in the browser")
)

// landing is where the browser brings the answer: an address of this machine that nobody else
// knows, open for one answer.
type landing struct {
	address, state string
	path           string
	page           func(accepted bool) Page
	listener       net.Listener
	server         http.Server
	got            chan arrival
	serving        sync.WaitGroup
}

// arrival is what the browser brought.
type arrival struct{ code, issuer, refusal string }

// listen opens one. fixed is for a client whose redirect address is known elsewhere but for the port.
func listen(fixed bool, page func(accepted bool) Page) (*landing, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("wait for the browser: %w", err)
	}
	l := &landing{listener: listener, state: rand.Text(), path: fixedPath, page: page, got: make(chan arrival, 1)}
	if !fixed {
		l.path = "/" + rand.Text()
	}
	l.address = "http://" + listener.Addr().String() + l.path
	l.server = http.Server{Handler: l, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 32 << 10}
	l.server.SetKeepAlivesEnabled(false)
	l.serving.Go(func() { _ = l.server.Serve(listener) }) // until close
	return l, nil
}

// ServeHTTP takes the first answer to what was asked. Another state is nobody's answer.
func (l *landing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Host != l.listener.Addr().String() || r.Method != http.MethodGet || r.URL.Path != l.path {
		http.NotFound(w, r)
		return
	}
	q := r.URL.Query()
	a := arrival{code: q.Get("code"), issuer: q.Get("iss"), refusal: q.Get("error")}
	taken := false
	if q.Get("state") == l.state && (a.code == "") != (a.refusal == "") {
		select {
		case l.got <- a:
			taken = true
		default:
		}
	}
	l.write(w, taken && a.refusal == "")
}

func (l *landing) write(w http.ResponseWriter, accepted bool) {
	page := l.page(accepted)
	head := w.Header()
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cache-Control", "no-store")
	if !accepted {
		w.WriteHeader(http.StatusBadRequest)
	}
	title, text := html.EscapeString(page.Title), html.EscapeString(page.Text)
	fmt.Fprintf(w, "<!doctype html>\n<html lang=\"%s\"><meta charset=\"utf-8\"><title>%s</title>\n<h1>%s</h1>\n<p>%s</p>\n</html>\n", html.EscapeString(page.Language), title, title, text)
}

// wait is the answer, at the latest when late says so.
func (l *landing) wait(ctx context.Context, late <-chan time.Time) (arrival, error) {
	defer l.close()
	select {
	case a := <-l.got:
		switch {
		case a.refusal == "":
			return a, nil
		case plainCode(a.refusal):
			return a, fmt.Errorf("%w: %s", errDeclined, a.refusal)
		}
		return a, errDeclined
	case <-late:
		return arrival{}, errLate
	case <-ctx.Done():
		return arrival{}, context.Cause(ctx)
	}
}

// close listens no longer; the page that is on its way may arrive.
func (l *landing) close() {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	if l.server.Shutdown(ctx) != nil {
		_ = l.server.Close()
	}
	l.serving.Wait()
}

func (k *Keeper) after(d time.Duration) <-chan time.Time {
	if k.After == nil {
		return time.After(d)
	}
	return k.After(d)
}
