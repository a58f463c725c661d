package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/control/secrets"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/rpc"
)

// catalog is where models come from: the configuration, and the environment of
// the process. What cannot be read is left out and named in problems.
func (w *wiring) catalog(s *config.Settings) (c *model.Catalog, problems []string) {
	c = &model.Catalog{Env: w.env, Dial: w.dial, Version: version}
	return c, w.configure(c, s)
}

// follow takes over the providers, the limits of retrying and the way out that have changed in
// the configuration since the catalog was made: they act from the next run on.
func (w *wiring) follow(c *model.Catalog, s *config.Settings) {
	w.mu.Lock()
	same := w.connections == w.connectionsOf(s)
	w.mu.Unlock()
	if same {
		return
	}
	for _, problem := range w.configure(c, s) {
		w.log.Warn().Msg(problem)
	}
}

func (w *wiring) configure(c *model.Catalog, s *config.Settings) (problems []string) {
	configured, problems := providersOf(s)
	c.Configure(append(slices.Clone(w.local), configured...), model.RetryLimits{
		MaxAttempts: s.Retry.MaxAttempts, FirstByte: time.Duration(s.Retry.FirstByteMs) * time.Millisecond, Idle: time.Duration(s.Retry.IdleMs) * time.Millisecond,
	})
	c.Leave(w.network(s))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.connections = w.connectionsOf(s)
	return problems
}

// connectionsOf is what of the configuration a catalog is made from.
func (w *wiring) connectionsOf(s *config.Settings) string {
	return fmt.Sprintf("%v %s %q", s.Retry, s.Providers, fmt.Sprint(w.network(s)))
}

// providersOf are the configured providers, by name.
func providersOf(s *config.Settings) (all []model.Provider, problems []string) {
	var configured map[string]json.RawMessage
	if err := json.Unmarshal(s.Providers, &configured); err != nil {
		return nil, []string{"providers: must be an object of providers by name"}
	}
	for _, name := range slices.Sorted(maps.Keys(configured)) {
		var p model.Provider
		if err := json.Unmarshal(configured[name], &p); err != nil {
			problems = append(problems, "providers."+name+": must be {baseUrl, apiKeys, models, …}; it is left out")
			continue
		}
		p.Name = name
		all = append(all, p)
	}
	return all, problems
}

// chain is the models to ask, in order: the one that was named, else the
// configured one, then the fallbacks.
func (w *wiring) chain(s *config.Settings, named string, fallback []string) []string {
	var names []string
	for _, n := range []string{named, w.model, s.Model} {
		if n != "" {
			names = append(names, n)
			break
		}
	}
	return append(names, fallback...)
}

// modelNames are the names that are configured; nothing is asked for them.
func (w *wiring) modelNames(s *config.Settings, c *model.Catalog) []string {
	names := w.chain(s, "", s.Fallback)
	if d := c.Default(); len(names) == 0 && d != "" {
		names = append(names, d)
	}
	return names
}

// providers says for which there is a key. A key that somebody has put where the name of
// its variable belongs is not shown either.
func (w *wiring) providers(s *config.Settings, c *model.Catalog) []rpc.Provider {
	w.follow(c, s)
	all := []rpc.Provider{}
	for _, k := range c.KeyStates() {
		p := rpc.Provider{Name: secrets.Redact(k.Name), HasKey: k.HasKey, KeyEnv: []string{}}
		for _, name := range k.KeyEnv {
			p.KeyEnv = append(p.KeyEnv, secrets.Redact(name))
		}
		all = append(all, p)
	}
	return all
}

// modelLists asks the providers that there are now.
type modelLists struct {
	w       *wiring
	config  *config.Store
	catalog *model.Catalog
}

// Models implements rpc.ModelLists. Those that agents name are last, and only where there is
// another: clients take the first for that of new sessions.
func (l *modelLists) Models() []string {
	settings := l.config.Settings()
	l.w.follow(l.catalog, settings)
	names := l.w.modelNames(settings, l.catalog)
	if len(names) == 0 {
		return nil
	}
	for _, a := range settings.Agents {
		for _, name := range append([]string{a.Model}, a.Fallback...) {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Efforts implements rpc.ModelLists.
func (l *modelLists) Efforts(name string) []string { return l.catalog.Efforts(name) }

// Providers implements rpc.ModelLists.
func (l *modelLists) Providers() []rpc.Provider { return l.w.providers(l.config.Settings(), l.catalog) }

// Lists implements rpc.ModelLists. A key that somebody has put where a provider's name
// belongs is not shown.
func (l *modelLists) Lists(ctx context.Context, provider string) ([]model.ModelList, bool) {
	l.config.Reload() // as it is now: who asks may just have written it
	l.w.follow(l.catalog, l.config.Settings())
	lists, known := l.catalog.Lists(ctx, provider)
	for i := range lists {
		lists[i].Provider = secrets.Redact(lists[i].Provider)
		lists[i].Message = secrets.Redact(lists[i].Message)
	}
	return lists, known
}

// ListAt implements rpc.ModelLists.
func (l *modelLists) ListAt(ctx context.Context, baseURL string) (model.ModelList, error) {
	return l.catalog.ListAt(ctx, baseURL)
}

// About implements rpc.ModelLists.
func (l *modelLists) About(ctx context.Context, name string) (model.ModelList, error) {
	l.config.Reload()
	s := l.config.Settings()
	l.w.follow(l.catalog, s)
	list, err := l.catalog.About(ctx, l.w.chain(s, name, nil)...)
	list.Provider = secrets.Redact(list.Provider)
	return list, err
}

// sessionModels opens the models of the configuration, and counts for them.
type sessionModels struct {
	*model.Counter
	w       *wiring
	catalog *model.Catalog
	config  *config.Store
}

func (m *sessionModels) OpenModel(name string, fallback []string) (model.Model, error) {
	settings := m.config.Settings()
	m.w.follow(m.catalog, settings)
	opened, err := m.catalog.Open(m.w.chain(settings, name, fallback)...)
	return opened, m.w.advised(err, m.catalog, m.config.Path())
}

func (m *sessionModels) Cheapest(name string) string { return m.catalog.Cheapest(name) }

func (m *sessionModels) DefaultModel() string {
	return first(m.w.modelNames(m.config.Settings(), m.catalog))
}
