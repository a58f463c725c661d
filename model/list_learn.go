package model

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// How long what a list said is believed: servers of one's own load their models
// anew. A list that said nothing of the window is asked for again sooner: some
// servers know it only while the model is loaded.
const (
	listBelieved = 10 * time.Minute
	listAgain    = time.Minute
)

// listing is what the lists of one address said.
type listing struct {
	models []Listed
	until  time.Time // then it is asked for again
	asking bool
	loaded bool // it was asked for again behind an answer
}

// nativeLists are the lists that local servers keep beside the one of OpenAI's
// form, in which they do not say with how large a window a model runs.
var nativeLists = map[string]string{"ollama": "/api/ps", "lmstudio": "/api/v0/models", "llamacpp": "/props"}

// nativeList is the address of such a list, nil if none is known: by the name of
// the provider, or by the usual port on this machine.
func nativeList(provider string, base *url.URL) *url.URL {
	path, ok := nativeLists[localServer(provider, base)]
	if !ok {
		return nil
	}
	return &url.URL{Scheme: base.Scheme, User: base.User, Host: base.Host, Path: path}
}

// localServer is which local server an address is, as its preset is called: by the name of the
// provider, or by the usual port on this machine; "" where it is none that is known.
func localServer(provider string, base *url.URL) string {
	if p, is := preset(provider); is && isLocalPreset(p) {
		return provider
	}
	for _, p := range Presets() {
		if usual, err := url.Parse(p.BaseURL); err == nil && isLocal(base) && isLocalPreset(p) && base.Port() == usual.Port() {
			return p.Name
		}
	}
	return ""
}

// learnList asks for the provider's list beside the first request to it, so that
// nobody waits for it, and at most 2 s. The window that it names counts from the
// next request on. Anyone who called must call wait.
func (c *Catalog) learnList(ctx context.Context, e *endpoint, key string) (wait func()) {
	wait = func() {}
	if e.fixed || e.base.Hostname() == "api.openai.com" || isAzureHost(e.base) { // these name no windows
		return wait
	}
	at := e.base.String()
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.lists[at]
	if known != nil && (known.asking || known.until.After(time.Now())) {
		return wait
	}
	if known == nil {
		known = &listing{}
		if c.lists == nil {
			c.lists = map[string]*listing{}
		}
		c.lists[at] = known
	}
	known.asking = true
	var one sync.WaitGroup
	one.Go(func() {
		asked, cancel := context.WithTimeout(ctx, listWait)
		defer cancel()
		models := c.lookup(asked, e, key)
		c.mu.Lock()
		defer c.mu.Unlock()
		known.asking = false
		if ctx.Err() != nil {
			return // cut short: it says nothing about the list
		}
		known.until = time.Now().Add(listBelieved)
		if models != nil {
			known.models = models
		}
		if found, ok := find(models, e.info.Name); ok && found.Window == 0 {
			known.until = time.Now().Add(listAgain)
		}
	})
	return one.Wait
}

// learnLoaded asks again right after an answer, where a local server has not said how large
// the window is: it knows that only while the model is loaded, which the question saw to.
func (c *Catalog) learnLoaded(ctx context.Context, e *endpoint, key string) {
	if e.fixed || nativeList(e.info.Provider, e.base) == nil || c.listed(e).Window > 0 {
		return
	}
	c.mu.Lock()
	if known := c.lists[e.base.String()]; known != nil && !known.loaded {
		known.until = time.Time{}
		known.loaded = true
	}
	c.mu.Unlock()
	c.learnList(ctx, e, key)()
}

// lookup asks for every list that the provider may have.
func (c *Catalog) lookup(ctx context.Context, e *endpoint, key string) (all []Listed) {
	ask := func(at *url.URL) ([]Listed, error) {
		list, err := fetchList(ctx, c.http(), at, e.keyName, key, e.header.Clone())
		for i := range list {
			list[i].from = Source(at.Path)
		}
		return list, err
	}
	if at := nativeList(e.info.Provider, e.base); at != nil {
		all, _ = ask(at) // no list is no news
		if found, ok := find(all, e.info.Name); ok && found.Window > 0 {
			return all
		}
	}
	more, err := ask(e.lists)
	if err != nil {
		return all
	}
	return append(all, more...)
}

// listed is what a list said of the endpoint's model.
func (c *Catalog) listed(e *endpoint) Listed {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.lists[e.base.String()]; known != nil {
		found, _ := find(known.models, e.info.Name)
		return found
	}
	return Listed{}
}

// find is the entry of a model: by its name, by its name and a tag, or the only
// one that the server runs.
func find(models []Listed, name string) (Listed, bool) {
	for _, same := range []func(string) bool{
		func(n string) bool { return n == name },
		func(n string) bool { return strings.EqualFold(n, name) || n == name+":latest" || n == "models/"+name },
		func(n string) bool { return n == "" },
	} {
		if i := slices.IndexFunc(models, func(l Listed) bool { return same(l.Name) }); i >= 0 {
			return models[i], true
		}
	}
	return Listed{}, false
}
