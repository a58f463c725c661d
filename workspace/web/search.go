package web

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
)

//go:embed search.md
var searchDescription string

const (
	// maxHits is how many results a search gives.
	maxHits = 10
	// maxQuery is the longest query, in characters.
	maxQuery = 400
	// searchWait is how long a provider may take.
	searchWait = 15 * time.Second
	// maxAnswer bounds what a provider may say, in bytes.
	maxAnswer = 2 << 20

	maxHitTitle, maxHitURL, maxHitText = 160, 1000, 400 // characters
)

// Provider is where a search goes. It comes from the user's own configuration, so
// its host is open wherever it is.
type Provider struct {
	Name string // "searxng" or "brave"
	URL  string // "" where the provider has one
	Key  string
}

type hit struct{ title, url, text string }

// protocol is how a provider is asked and how it answers.
type protocol struct {
	url, path, query string // path is added to the address unless it ends so
	header           func(key string) (name, value string)
	read             func(raw []byte) ([]hit, error)
	hint             map[int]string // what an HTTP status of it mostly means
}

var protocols = map[string]protocol{
	"searxng": {
		path: "/search", query: "format=json&q=", read: readSearXNG,
		hint: map[int]string{http.StatusForbidden: `: the instance must allow the format "json" (search.formats in its settings.yml)`},
	},
	"brave": {
		url: "https://api.search.brave.com/res/v1/web/search", query: "count=10&text_decorations=false&q=", read: readBrave,
		header: func(key string) (string, string) { return "X-Subscription-Token", key },
		hint: map[int]string{
			http.StatusUnauthorized: ": it does not know the key", http.StatusForbidden: ": it does not know the key",
			http.StatusUnprocessableEntity: ": it does not know the key, or cannot read the query", http.StatusPaymentRequired: ": the quota is used up",
		},
	},
}

type searchArgs struct {
	Query string `json:"query" jsonschema:"words to search for"`
}

// Search is the tool web_search. p is asked when a call runs, so that a changed
// configuration counts at once; false means that there is no provider any more.
func (w *Web) Search(p func() (Provider, bool)) tool.Tool {
	spec := tool.Spec{Name: "web_search", Description: searchDescription, Effect: tool.Net}
	return tool.Define(spec, func(in searchArgs) (*tool.Plan, error) {
		query := strings.Join(strings.Fields(seen(in.Query)), " ")
		switch {
		case query == "":
			return nil, errors.New(`argument "query" is empty`)
		case utf8.RuneCountInString(query) > maxQuery:
			return nil, fmt.Errorf(`argument "query" is longer than %d characters`, maxQuery)
		}
		return &tool.Plan{
			Title:   output.OneLine("search the web: " + query),
			Targets: []tool.Target{{Domain: tool.DomainWebSearch, Object: "query:" + query}},
			Preview: func(context.Context, tool.Grant) (tool.Preview, error) {
				return tool.Preview{Kind: "text", Text: "search the web\n\n" + output.Visible(query) + "\n"}, nil
			},
			Run: func(ctx context.Context, _ tool.Grant, _ tool.Sink) (tool.Result, error) {
				now, there := p()
				if !there {
					return tool.Failed(errors.New("no search provider is configured any more")), nil
				}
				return w.search(ctx, now, query)
			},
		}, nil
	})
}

var errSearchWait = fmt.Errorf("the search provider did not answer within %d s", int(searchWait/time.Second))

func (w *Web) search(ctx context.Context, p Provider, query string) (tool.Result, error) {
	timed, cancel := context.WithTimeoutCause(ctx, searchWait, errSearchWait)
	defer cancel()
	hits, err := w.ask(timed, p, query)
	if err != nil {
		if timed.Err() != nil {
			err = context.Cause(timed)
		}
		failed := tool.Failed(fmt.Errorf("the search failed: %w", plainError(err)))
		failed.Tainted = true
		return ended(ctx, failed)
	}
	return tool.Result{Text: framed("results", fmt.Sprintf("Query: %s\n", query), list(hits)), Tainted: true}, nil
}

// ask sends one query. Redirects are not followed: the key would go along.
func (w *Web) ask(ctx context.Context, p Provider, query string) ([]hit, error) {
	how, known := protocols[p.Name]
	if !known {
		return nil, fmt.Errorf("there is no provider %s", p.Name)
	}
	to, err := how.address(p, query)
	if err != nil {
		return nil, err
	}
	t := w.transport(newGuard(to, true), true)
	defer t.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", w.agent())
	req.Header.Set("Accept", "application/json")
	if how.header != nil {
		req.Header.Set(how.header(p.Key))
	}
	resp, err := t.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case redirects(resp.StatusCode):
		return nil, errors.New("the provider redirects; its final address belongs into the configuration")
	case resp.StatusCode == http.StatusTooManyRequests:
		return nil, errors.New("the provider says that there were too many requests (HTTP 429); wait before you search again")
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the provider answered HTTP %d%s", resp.StatusCode, how.hint[resp.StatusCode])
	case err != nil:
		return nil, err
	case len(raw) > maxAnswer:
		return nil, fmt.Errorf("the answer of the provider is larger than %d MB", maxAnswer>>20)
	}
	return how.read(raw)
}

// address is where a query is sent.
func (how protocol) address(p Provider, query string) (Address, error) {
	at := p.URL
	if at == "" {
		at = how.url
	}
	if at = strings.TrimRight(at, "/"); !strings.HasSuffix(at, how.path) {
		at += how.path
	}
	return ParseAddress(at + "?" + how.query + escapeQuery(query))
}

// escapeQuery writes everything but letters and digits as escapes.
func escapeQuery(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; unreserved(c) {
			b.WriteByte(c)
		} else {
			b.WriteString("%" + string(hex[c>>4]) + string(hex[c&15]))
		}
	}
	return b.String()
}

var errAnswer = errors.New("the answer of the provider cannot be read; is the address that of its API?")

func readSearXNG(raw []byte) ([]hit, error) {
	var in struct {
		Results *[]struct{ Title, URL, Content string } `json:"results"`
	}
	if json.Unmarshal(raw, &in) != nil || in.Results == nil {
		return nil, errAnswer
	}
	var hits []hit
	for _, r := range *in.Results {
		hits = append(hits, hit{r.Title, r.URL, r.Content})
	}
	return hits, nil
}

func readBrave(raw []byte) ([]hit, error) {
	var in struct {
		Type string `json:"type"`
		Web  struct {
			Results []struct{ Title, URL, Description string } `json:"results"`
		} `json:"web"`
	}
	if json.Unmarshal(raw, &in) != nil || in.Type != "search" {
		return nil, errAnswer
	}
	var hits []hit
	for _, r := range in.Web.Results {
		hits = append(hits, hit{r.Title, r.URL, r.Description})
	}
	return hits, nil
}

// list shows at most maxHits results whose address could be fetched, each page
// once.
func list(hits []hit) string {
	var b strings.Builder
	n := 0
	shown := map[string]bool{}
	for _, h := range hits {
		to, err := ParseAddress(h.url)
		if err != nil || shown[to.String()] || len(to.String()) > maxHitURL {
			continue
		}
		shown[to.String()] = true
		n++
		fmt.Fprintf(&b, "%d. %s\n   %s\n", n, snippet(h.title, maxHitTitle), to)
		if text := snippet(h.text, maxHitText); text != "" {
			fmt.Fprintf(&b, "   %s\n", text)
		}
		if n == maxHits {
			break
		}
	}
	if n == 0 {
		return "(nothing was found)"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// snippet is one line without markup, at most max characters.
func snippet(s string, max int) string {
	if len(s) > 8*max {
		s = strings.ToValidUTF8(s[:8*max], "")
	}
	var b strings.Builder
	for tokens := html.NewTokenizer(strings.NewReader(s)); ; {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			break
		}
		if kind == html.TextToken {
			b.Write(tokens.Text())
		}
	}
	return tool.CutLine(strings.Join(strings.Fields(seen(strings.ToValidUTF8(b.String(), "\uFFFD"))), " "), max)
}
