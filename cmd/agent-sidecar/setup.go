package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/rpc"
)

// setUp lets a person in a terminal choose a provider, give its key and choose a model. Nothing is stored before
// the provider has answered with that key.
func setUp(p *program, _ []string) int {
	t := p.terminal()
	if t.in == nil {
		return p.fail("setup asks questions: start it in a terminal")
	}
	w := p.wiring()
	config, err := w.openConfig(config.Options{})
	if err != nil {
		return p.fail("%v", err)
	}
	catalog, _ := w.catalog(config.Settings())
	defer func() { catalog.Close() }()
	providers := (&modelLists{w, config, catalog}).Providers()
	t.line(p.words("Which provider?"))
	var names []string
	for _, one := range providers {
		names = append(names, one.Name)
	}
	name := t.pick(names)
	at := slices.IndexFunc(providers, func(one rpc.Provider) bool { return one.Name == name })
	if at < 0 {
		return p.fail("no provider was chosen")
	}
	key := ""
	if !providers[at].HasKey && len(providers[at].KeyEnv) > 0 {
		t.print("  " + t.words("Key of %s (it is shown as you type)", name) + " > ")
		typed, ok := t.read()
		if key = strings.TrimSpace(typed); !ok || key == "" {
			return p.fail("no key was given")
		}
		catalog.Close()
		env, of := w.env, providers[at].KeyEnv[0]
		w.env = func(variable string) string {
			if variable == of {
				return key
			}
			return env(variable)
		}
		catalog, _ = w.catalog(config.Settings())
	}
	return storeChoice(p, t, config, catalog, name, key)
}

// storeChoice asks the provider for its models and stores the one that the person chooses, with the key.
func storeChoice(p *program, t *terminal, config *config.Store, catalog *model.Catalog, provider, key string) int {
	lists, _ := catalog.Lists(context.Background(), provider)
	var names []string
	for _, list := range lists {
		if list.Kind != "" {
			return p.fail("%s: %s", title(provider, 100), title(list.Message, 400))
		}
		for _, m := range list.Models {
			names = append(names, provider+"/"+m.Name)
		}
	}
	t.line(p.words("Which model?"))
	chosen := t.pick(names)
	if chosen == "" {
		return p.fail("no model was chosen; nothing was stored")
	}
	stored := []struct {
		key   string
		value any
	}{{"model", chosen}}
	if key != "" {
		stored = append(stored, struct {
			key   string
			value any
		}{"providers." + provider + ".apiKeys", []string{key}})
	}
	for _, one := range stored {
		value, err := json.Marshal(one.value)
		if err == nil {
			err = config.Set(one.key, value)
		}
		if err != nil {
			return p.fail("%v", err)
		}
	}
	return p.show(p.words("Stored in %s. The next prompt asks %s.\n", config.Path(), chosen))
}
