package model

import (
	"slices"
	"strings"
)

// KeyState says of a provider whether there is a key for it, and never which.
type KeyState struct {
	Name   string
	HasKey bool     // in the configuration or the environment
	KeyEnv []string // the variables that are looked at; none: it needs no key, or has it from elsewhere
}

// KeyStates are the providers that exist here, then the services that would with a
// key in their variable.
func (c *Catalog) KeyStates() []KeyState {
	var all []KeyState
	add := func(p Provider) {
		all = append(all, KeyState{p.Name, c.hasAnyKey(p), slices.Clone(p.APIKeyEnv)})
	}
	for _, p := range c.known() {
		add(p)
	}
	for _, p := range Presets() {
		if !isLocalPreset(p) && p.BaseURL != "" && !slices.ContainsFunc(all, func(k KeyState) bool { return k.Name == p.Name }) {
			add(p)
		}
	}
	return all
}

// hasAnyKey: a key is configured, one of the variables is set, or headers are in the
// place of a key.
func (c *Catalog) hasAnyKey(p Provider) bool {
	return slices.ContainsFunc(p.APIKeys, func(k string) bool { return strings.TrimSpace(k) != "" }) || c.hasKey(p) || len(p.Headers) > 0
}
