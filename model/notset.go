package model

import (
	"errors"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// ErrNoModel: nothing was named and nothing is configured.
var ErrNoModel = errors.New("no model is set up")

// NotSetError says that there is no model to ask: ErrNoModel where nothing was named.
type NotSetError struct {
	Message said.Text // a short sentence for a person
	Detail  said.Text // what can be done about it; "" where nobody has looked yet
	named   bool
}

func (e *NotSetError) Error() string {
	return strings.TrimSpace(e.Message.String() + " " + e.Detail.String())
}

// Is makes it ErrNoModel where nothing was named.
func (e *NotSetError) Is(target error) bool { return target == ErrNoModel && !e.named }

func notSet() error { return &NotSetError{Message: said.That("No model is set up.")} }

// onlyProvider is the error for a provider's name in the place of a model's.
func onlyProvider(name string) error {
	return &NotSetError{
		Message: said.That("%q is a provider, and no model of it is named.", name),
		Detail:  said.That("Write it as %s/<name>; agent-sidecar models %s lists the names.", name, name), named: true,
	}
}

// isOnlyProvider says that a name means a provider and no model: one that there is
// here, or a well-known one, unless a gateway is there that may have a model of that
// name.
func (c *Catalog) isOnlyProvider(name string, all []Provider) bool {
	name, _ = strings.CutSuffix(name, "/")
	if slices.ContainsFunc(all, func(p Provider) bool { return p.Name == name }) {
		return true
	}
	_, known := preset(name)
	return known && !slices.ContainsFunc(all, func(p Provider) bool { return !isOpenAI(p) })
}

// ReadyProvider is one of which a model needs only to be named.
type ReadyProvider struct {
	Name   string
	KeyEnv string // the variable that has its key; "" where it needs none, or has it from elsewhere
}

// Ready are the providers that exist here and lack nothing.
func (c *Catalog) Ready() []ReadyProvider {
	var all []ReadyProvider
	for _, p := range c.known() {
		base, err := parseBase(p.BaseURL)
		if err != nil {
			continue
		}
		if _, err := c.keys(p, base); err != nil {
			continue
		}
		one := ReadyProvider{Name: p.Name}
		if i := slices.IndexFunc(p.APIKeyEnv, func(name string) bool { return c.env(name) != "" }); i >= 0 && len(p.APIKeys) == 0 {
			one.KeyEnv = p.APIKeyEnv[i]
		}
		all = append(all, one)
	}
	return all
}
