package model

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// What is asked for a person to choose from. A local server that is up answers at
// once; a service far away may list hundreds.
const (
	listsWait     = 10 * time.Second // all lists together
	localsWait    = 2 * time.Second  // a local server that nobody configured
	maxListed     = 2000             // names of one list
	maxListedName = 256              // bytes of one name
)

// KindNoList says of a server that it answers and has no list of models there.
const KindNoList Kind = "no_list"

// ModelList is what one address says it has, or why it does not say.
type ModelList struct {
	Provider string // "" for an address that is no provider's
	BaseURL  string // without user info and query
	Models   []Listed
	// Kind and Message say why there is no list: "" where there is one. The message is
	// at most 2 KiB and without keys.
	Kind    Kind
	Message string
}

// Lists asks the providers that are configured or have a key, and the known local
// servers, for their models, side by side and for at most 10 s. A local server that
// nobody configured is left out where it does not answer. With a provider's name it
// asks that one alone; known is false where nothing has that name.
func (c *Catalog) Lists(ctx context.Context, provider string) (lists []ModelList, known bool) {
	asked, spare := c.known(), []Provider(nil)
	if provider != "" {
		asked = slices.DeleteFunc(asked, func(p Provider) bool { return p.Name != provider })
		if p, is := preset(provider); is && len(asked) == 0 {
			asked = append(asked, c.completed(Provider{Name: p.Name}, p))
		}
		if len(asked) == 0 {
			return nil, false
		}
	} else {
		for _, p := range Presets() {
			same := func(o Provider) bool { return o.Name == p.Name || sameAddress(o.BaseURL, p.BaseURL) }
			if isLocalPreset(p) && !slices.ContainsFunc(asked, same) {
				spare = append(spare, p)
			}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, listsWait)
	defer cancel()
	lists = make([]ModelList, len(asked)+len(spare))
	var all sync.WaitGroup
	for i, p := range slices.Concat(asked, spare) {
		all.Go(func() {
			ctx := ctx
			if i >= len(asked) {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, localsWait)
				defer cancel()
			}
			lists[i] = c.listOf(ctx, p)
		})
	}
	all.Wait()
	answered := lists[:len(asked)]
	for _, l := range lists[len(asked):] {
		if l.Kind == "" {
			answered = append(answered, l)
		}
	}
	return answered, true
}

// About says what is known of the model that a name, or without one the environment,
// asks first: a list of that one alone. Its provider's list is asked for at most 2 s
// where nothing else knows that the model takes images; what it says counts for
// requests as well. The error says in a sentence what is missing.
func (c *Catalog) About(ctx context.Context, names ...string) (ModelList, error) {
	m, err := c.Open(names...)
	if err != nil {
		return ModelList{}, err
	}
	first := m.(*chain).ends[0]
	if !m.Info().Vision {
		c.learnList(ctx, first, first.keys[0])()
	}
	info := m.Info()
	vision := info.Vision && !slices.Contains(info.Quirks, quirkImages)
	return ModelList{Provider: first.info.Provider, BaseURL: shownBase(first.base), Models: []Listed{{Name: first.info.Name, Window: info.Window, MaxOutput: info.MaxOutput, Vision: vision, Reasoning: info.Reasoning}}}, nil
}

// sameAddress says that two base URLs lead to the same server.
func sameAddress(a, b string) bool {
	plain := func(s string) string {
		return strings.Replace(strings.TrimRight(s, "/"), "//localhost:", "//127.0.0.1:", 1)
	}
	return plain(a) == plain(b)
}

// listOf asks one provider.
func (c *Catalog) listOf(ctx context.Context, p Provider) ModelList {
	out := ModelList{Provider: p.Name}
	base, err := parseBase(p.BaseURL)
	if p.BaseURL == "" && p.Name == azureProvider {
		err = errors.New("it has no address of its own: set " + azureAddress + ", or baseUrl in the configuration")
	}
	if err != nil {
		out.Kind, out.Message = KindRejected, newScrubber(nil).message(err.Error())
		return out
	}
	out.BaseURL = shownBase(base)
	keys, err := c.keys(p, base)
	if err != nil {
		out.Kind, out.Message = KindAuth, newScrubber(nil).message(err.Error())
		return out
	}
	as := formOf("", "", base)
	at, keyName, header := listURL(p, base), keyHeader(p, base, as), c.headers(p, as)
	if as.api == apiMessages {
		at.RawQuery = "limit=1000"
	}
	c.ask(ctx, &out, at, keyName, keys[0], header, newScrubber(secretsOf(p, keys, base)))
	for i := range out.Models {
		m, known := &out.Models[i], p.Models[out.Models[i].Name]
		m.Window, m.Vision = firstOf(known.Window, m.Window), m.Vision || known.Vision
	}
	return out
}

// ListAt asks one address, without any key and for at most 10 s: <base>/models, and
// where that has no list <base>/v1/models. The list's BaseURL is the one that
// answered. Nothing is kept. The error says what is wrong with the address itself.
func (c *Catalog) ListAt(ctx context.Context, address string) (ModelList, error) {
	base, err := parseBase(address)
	if err != nil {
		return ModelList{}, err
	}
	if base.User != nil || base.RawQuery != "" {
		return ModelList{}, errors.New("write it like https://host/v1, without a user name and without a query")
	}
	ctx, cancel := context.WithTimeout(ctx, listsWait)
	defer cancel()
	header := c.headers(Provider{}, form{})
	out := ModelList{BaseURL: shownBase(base)}
	c.ask(ctx, &out, base.JoinPath("models"), "", "", header, newScrubber(nil))
	if out.Kind != KindNoList {
		return out, nil
	}
	deeper := base.JoinPath("v1")
	second := ModelList{BaseURL: shownBase(deeper)}
	if c.ask(ctx, &second, deeper.JoinPath("models"), "", "", header, newScrubber(nil)); second.Kind != KindNoList {
		return second, nil
	}
	return out, nil
}

func shownBase(base *url.URL) string { return strings.TrimRight(shownURL(base), "/") }

// ask fills in what one address says.
func (c *Catalog) ask(ctx context.Context, out *ModelList, at *url.URL, keyName, key string, header http.Header, scrub scrubber) {
	models, err := fetchList(ctx, c.http(), at, keyName, key, header)
	if err != nil {
		out.Kind, out.Message = whyNoList(ctx, at, err)
		out.Message = scrub.message(out.Message)
		return
	}
	seen := map[string]bool{}
	for _, m := range models {
		if len(out.Models) == maxListed {
			break
		}
		// Nobody could write a name with anything else in it, or know it from another.
		if seen[m.Name] || !isPlainName(m.Name) || scrub.message(m.Name) != m.Name {
			continue
		}
		seen[m.Name] = true
		m.Window, m.Vision = firstOf(m.Window, builtIn(m.Name).Window), m.Vision || builtIn(m.Name).Vision
		out.Models = append(out.Models, m)
	}
}

// isPlainName says that a name is short and has only characters that can be seen.
func isPlainName(name string) bool {
	return name != "" && len(name) <= maxListedName && utf8.ValidString(name) && strings.TrimSpace(name) == name &&
		!strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

// whyNoList gives an error of list its kind and its words.
func whyNoList(ctx context.Context, at *url.URL, err error) (Kind, string) {
	var status *statusError
	switch {
	case errors.Is(err, errNoList):
		return KindNoList, "the server answers, and has no list of models at " + shownURL(at)
	case errors.As(err, &status):
		if to, err := at.Parse(status.header.Get("Location")); err == nil && status.status/100 == 3 {
			return KindNoList, "the server redirects to " + shownURL(to) + "; write that address if it is right"
		}
		switch status.status {
		case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone, http.StatusNotImplemented:
			return KindNoList, "the server answers, and has no list of models at " + shownURL(at)
		}
		words := messageIn(status.body)
		if words == "" || words == "null" {
			words = http.StatusText(status.status)
		}
		return classify(status.status, status.body).kind(), status.Error() + ": " + words
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return KindNetwork, "no answer in time from " + at.Host
	}
	return KindNetwork, networkText(err)
}

// secretsOf is what of a provider may not be shown anywhere.
func secretsOf(p Provider, keys []string, base *url.URL) []string {
	secrets := slices.Clone(keys)
	for _, v := range p.Headers {
		secrets = append(secrets, v, strings.TrimPrefix(v, "Bearer "))
	}
	if secret, ok := base.User.Password(); ok {
		secrets = append(secrets, secret, base64.StdEncoding.EncodeToString([]byte(base.User.Username()+":"+secret))) // as it is sent
	}
	for name, values := range base.Query() {
		if name != "api-version" {
			secrets = append(secrets, values...)
		}
	}
	return secrets
}
