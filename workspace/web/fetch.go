package web

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
)

//go:embed fetch.md
var fetchDescription string

const (
	// maxRedirects is how many redirects are followed.
	maxRedirects = 5
	// fetchWait is how long a fetch may take, its body included.
	fetchWait = 30 * time.Second
)

type fetchArgs struct {
	URL    string `json:"url" jsonschema:"http:// or https:// address of the page"`
	Format string `json:"format,omitempty" words:"markdown,text,html" jsonschema:"markdown if not given; html is the source"`
}

// Fetch is the tool web_fetch of one session, whose addresses judge knows.
func (w *Web) Fetch(judge Judge) tool.Tool {
	spec := tool.Spec{Name: "web_fetch", Description: fetchDescription, Effect: tool.Net}
	return tool.Define(spec, func(in fetchArgs) (*tool.Plan, error) {
		format := in.Format
		if format == "" {
			format = formatMarkdown
		}
		to, err := ParseAddress(in.URL)
		if err != nil {
			return nil, fmt.Errorf(`argument "url": %w`, err)
		}
		if err := newGuard(to, judge.of(to).Opened).beforehand(); err != nil {
			return nil, err
		}
		return &tool.Plan{
			Title:   output.OneLine("fetch " + to.String()),
			Targets: []tool.Target{{Domain: tool.DomainWebFetch, Object: to.Object()}},
			Preview: func(context.Context, tool.Grant) (tool.Preview, error) {
				return tool.Preview{Kind: "text", Text: "GET " + to.String() + "\n\nhost: " + to.Host() + "\nAn answer for this session applies to all pages of this host.\n"}, nil
			},
			Run: func(ctx context.Context, _ tool.Grant, _ tool.Sink) (tool.Result, error) {
				return w.fetch(ctx, judge, to, format)
			},
		}, nil
	})
}

// Page is a page that a person has named, as the model reads it. Redirects are judged like those of
// the tool. What the server refuses, and what cannot be had, is an error.
func (w *Web) Page(ctx context.Context, judge Judge, address string) (string, error) {
	to, err := ParseAddress(address)
	if err != nil {
		return "", err
	}
	if err := newGuard(to, judge.of(to).Opened).beforehand(); err != nil {
		return "", err
	}
	timed, cancel := context.WithTimeoutCause(ctx, fetchWait, errFetchWait)
	defer cancel()
	p, err := w.get(timed, judge, to)
	if err == nil && p.status >= 400 {
		return "", fmt.Errorf("%s answers HTTP %d", to, p.status)
	}
	var text string
	if err == nil {
		text, err = p.render(timed, formatMarkdown)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", to, describe(timed, err))
	}
	return text, nil
}

var errFetchWait = fmt.Errorf("the page did not come within %d s", int(fetchWait/time.Second))

// fetch gets one page and makes a result of it.
func (w *Web) fetch(ctx context.Context, judge Judge, to Address, format string) (tool.Result, error) {
	timed, cancel := context.WithTimeoutCause(ctx, fetchWait, errFetchWait)
	defer cancel()
	p, err := w.get(timed, judge, to)
	if err == nil {
		var text string
		if text, err = p.render(timed, format); err == nil {
			return tool.Result{Text: text, Failed: p.status >= 400, Tainted: true}, nil
		}
	}
	failed := tool.Failed(describe(timed, err))
	failed.Tainted = true // what a server says when it refuses is its word, too
	return ended(ctx, failed)
}

// describe is an error in words for the model, without what only a programmer
// wants to know. Nothing of what a server sent is part of it.
func describe(ctx context.Context, err error) error {
	var no *refused
	switch {
	case errors.As(err, &no):
		return no
	case ctx.Err() != nil && context.Cause(ctx) == errFetchWait:
		return errFetchWait
	}
	return plainError(err)
}

// get follows redirects until there is a page. Each of them is a request of its
// own that is judged from the beginning.
func (w *Web) get(ctx context.Context, judge Judge, to Address) (*page, error) {
	from := to
	opened := false
	for hop := 0; ; hop++ {
		word := judge.of(to)
		if hop == 0 && word.Verdict == Denied {
			return nil, &refused{"a rule forbids it now"}
		}
		if hop > 0 {
			if err := follow(from, to, word, opened); err != nil {
				return nil, err
			}
		}
		opened = word.Opened
		p, next, err := w.request(ctx, to, opened)
		switch {
		case err != nil && hop > 0:
			return nil, fmt.Errorf("redirected to %s: %w", to.Host(), err)
		case err != nil:
			return nil, err
		case p != nil:
			return p, nil
		case hop == maxRedirects:
			return nil, fmt.Errorf("there were more than %d redirects; the last one leads to %s", maxRedirects, next)
		}
		from, to = to, next
	}
}

// follow says why a redirect is not followed. Where a fetch of its own would be
// judged differently, it has to be one.
func follow(from, to Address, word Judgement, opened bool) error {
	stop := func(why string) error {
		return &refused{fmt.Sprintf("the page redirects to %s, %s", to, why)}
	}
	switch {
	case word.Verdict == Denied:
		return stop("which a rule forbids")
	case from.scheme == "https" && to.scheme == "http":
		return stop("which is not encrypted; fetch that address if you want it")
	case word.Opened && !opened:
		return stop("on this machine or network; fetch that address if you want it")
	}
	if no := newGuard(to, word.Opened).beforehand(); no != nil {
		return stop("but " + no.Error())
	}
	if word.Verdict == Asked && !from.sameHost(to) {
		return stop("which would need approval; fetch that address if you want it")
	}
	return nil
}

// request gets one address: a page, or where it redirects to.
func (w *Web) request(ctx context.Context, to Address, opened bool) (*page, Address, error) {
	t := w.transport(newGuard(to, opened), false)
	defer t.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
	if err != nil {
		return nil, Address{}, err
	}
	req.Header.Set("User-Agent", w.agent())
	req.Header.Set("Accept", "text/html, application/xhtml+xml, text/markdown;q=0.9, text/plain;q=0.9, */*;q=0.5")
	req.Header.Set("Accept-Encoding", "gzip")
	resp, err := t.RoundTrip(req)
	if err != nil {
		return nil, Address{}, err
	}
	defer resp.Body.Close()
	if link := resp.Header.Get("Location"); redirects(resp.StatusCode) && link != "" {
		next, err := to.join(link)
		if err != nil {
			return nil, Address{}, &refused{"the page redirects to an address that cannot be fetched: " + err.Error()}
		}
		return nil, next, nil
	}
	p, err := readPage(to, resp)
	return p, Address{}, err
}

func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}
