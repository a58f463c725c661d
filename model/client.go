package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/internal/outbound"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// endpoint is one model at one provider.
type endpoint struct {
	info    Info
	url     *url.URL // where it is asked
	keys    []string // at least one; "" where none is needed
	header  http.Header
	keyName string   // header of the key, "" for Authorization
	known   []string // quirks by preset or configuration
	base    *url.URL // of the provider
	lists   *url.URL // where it names its models
	fixed   bool     // the user set the window
	lacks   error    // why it cannot be asked at all
	scrub   scrubber
	catalog *Catalog

	price        *Price        // nil: none is known
	timeout      time.Duration // of one whole answer; 0: none
	responsesURL *url.URL
}

// place names what quirks and rests are remembered for.
func (e *endpoint) place() place { return place{e.url.String(), e.info.Name} }

// neutralModel keeps go-openai from judging model names; the doer writes the
// real one.
const neutralModel = "model"

// ask sends one question and streams its answer to emit. It returns a Done, or
// a failure; stopped says that emit wanted no more.
func (e *endpoint) ask(ctx context.Context, key string, q wireRequest, emit func(Part) bool) (done Done, fail *failure, stopped bool) {
	if e.lacks != nil {
		return Done{}, e.fail(classAuth, 0, e.lacks.Error()), false
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if e.timeout > 0 {
		late := time.AfterFunc(e.timeout, func() { cancel(errLate) })
		defer late.Stop()
	}
	life := e.catalog.idleTimer(e.info.Reasoning || e.catalog.listed(e).Reasoning, cancel)
	at := *e
	e, at.url = &at, q.url // errors name the address that was asked
	http := &doer{client: e.catalog.http(), url: q.url, header: e.header, body: q.body, keyName: e.keyName, life: life}
	stream, err := q.open(ctx, key, http)
	if err != nil {
		return Done{}, e.failure(ctx, err), false
	}
	defer stream.Close()

	reply := q.reply()
	a := reply.common()
	for !a.ended {
		data, err := stream.RecvRaw()
		if errors.Is(err, io.EOF) {
			break // the marker, or the end of the body
		}
		if err != nil {
			if a.finish != "" && !isBroken[a.finish] && !isUnreadable(err) && !cancelled(ctx) {
				break // only usage can be missing
			}
			return Done{}, e.failure(ctx, err), false
		}
		before := a.grown()
		if !reply.add(data, emit) {
			if a.failed != nil {
				return Done{}, e.refused(0, nil, string(a.failed)), false
			}
			return Done{}, nil, true
		}
		if a.thinking {
			life.thinks()
		}
		if a.finish != "" {
			life.finished()
		}
		if a.grown() > before {
			life.progress()
		}
	}
	marked := http.events.marked
	switch {
	case a.grown() == 0 && !a.strange.IsZero():
		return Done{}, e.fromStranger(a.strange), false
	case isBroken[strings.ToLower(a.finish)]:
		return Done{}, e.fail(classServer, 0, "the provider broke off: finish reason "+a.finish), false
	case a.events == 0:
		return Done{}, e.fail(classServer, 0, "the provider sent an empty answer"), false
	case !marked && !a.complete() && !(http.events.body && a.events == 1 && a.whole):
		return Done{}, e.fail(classNetwork, 0, "the stream ended in the middle of the answer"), false
	}
	if marked || a.ended {
		http.events.drain()
	}
	if !reply.flush(emit) {
		return Done{}, nil, true
	}
	done = reply.done(e.info.Provider, e.info.Name)
	done.Left, done.Foreign = q.left, q.foreign
	return done, nil, false
}

// cancelled says that ctx ended because its owner wanted it, not this package.
func cancelled(ctx context.Context) bool {
	cause := context.Cause(ctx)
	return cause != nil && !errors.Is(cause, errSilent) && !errors.Is(cause, errLate) && !errors.Is(cause, errFinished)
}

func isUnreadable(err error) bool {
	var u *errUnreadable
	return errors.As(err, &u)
}

// failure explains an error of the transport or of the reader.
func (e *endpoint) failure(ctx context.Context, err error) *failure {
	var status *statusError
	var unreadable *errUnreadable
	var box *packed
	switch {
	case errors.As(err, &box):
		f := e.fail(classServer, 0, box.Error())
		f.again, f.err.Advice = false, adviceOnForm(e.scrub.message(box.how))
		return f
	case errors.As(err, &status):
		return e.refused(status.status, status.header, status.body)
	case errors.Is(context.Cause(ctx), errSilent):
		return e.fail(classNetwork, 0, errSilent.Error())
	case errors.Is(context.Cause(ctx), errLate): // it would take as long again
		f := e.fail(classNetwork, 0, fmt.Sprintf("%s (timeoutMs: %d)", errLate, e.timeout.Milliseconds()))
		f.again = false
		return f
	case errors.As(err, &unreadable):
		f := e.fail(classServer, 0, unreadable.what)
		if unreadable.sample != "" { // cleaned before it is cut: half a key is one, too
			sample := e.scrub.message(clip(unreadable.sample, maxErrorBody))
			f.err.Message += ": " + clip(sample, 300)
		}
		f.again = unreadable.what != notAStream
		return f
	}
	f := e.fail(classNetwork, 0, networkText(err))
	f.again = !permanent(err)
	if wantsTLS(err) {
		f.again, f.err.Advice = false, said.That("The server speaks TLS: is https:// meant?")
	}
	return f
}

// refused explains an error that the provider put into words.
func (e *endpoint) refused(status int, header http.Header, body string) *failure {
	c := classify(status, body)
	words := messageIn(body)
	if words == "" || words == "null" {
		words = http.StatusText(status)
	}
	if c == classNotFound && status == 404 && !saysNoModel().MatchString(words+" "+codeIn(body)) {
		words += e.addressHint()
	}
	if call := brokenCall(body); c == classToolUseFailed && call != "" { // cleaned before it is cut
		words += " (it wrote: " + clip(e.scrub.message(call), 300) + ")"
	}
	f := e.fail(c, status, words)
	f.body = body
	f.err.RetryAfter = retryAfter(time.Now(), header, body)
	f.err.Advice = adviceOn(f)
	if c == classOverflow || c == classOverflowTPM {
		f.err.Window = windowIn(body)
	}
	return f
}

var version = lazy.Regexp(`/v\d`)

// addressHint is a guess at why an address has nothing to answer with: most serve the
// API below /v1, and people leave it out.
func (e *endpoint) addressHint() string {
	if e.base == nil || e.base.RawQuery != "" || e.url.RawQuery != "" || version().MatchString(e.base.Path) {
		return ""
	}
	return "; the address has no /v1: is " + strings.TrimSuffix(shownURL(e.base), "/") + "/v1 meant?"
}

func (e *endpoint) fail(c class, status int, words string) *failure {
	return &failure{
		class: c,
		again: c.transient(),
		err: &Error{
			Kind: c.kind(), Status: status, Message: e.scrub.message(words),
			Provider: e.info.Provider, Model: e.info.Name, URL: shownURL(e.url),
		},
	}
}

// networkText is err without the URL that net/http puts in front, which may
// hold a key.
func networkText(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if f := outbound.Explain(err); f != nil {
		return f.Error()
	}
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		return "cannot find the host " + dns.Name
	case errors.Is(err, syscall.ECONNREFUSED):
		return "cannot connect: connection refused; is the server running?"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "the connection was cut"
	}
	return fmt.Sprintf("cannot reach the endpoint: %v", err)
}

// permanent says that the same address will not work in a few seconds either.
func permanent(err error) bool {
	if f := outbound.Explain(err); f != nil {
		return f.Lasting
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return dns.IsNotFound
	}
	text := err.Error()
	return strings.Contains(text, "x509:") || strings.Contains(text, "server gave HTTP response to HTTPS client") ||
		strings.Contains(text, "unsupported protocol scheme")
}
