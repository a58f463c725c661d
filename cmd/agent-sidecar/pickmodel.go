package main

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// mostPicked is how many models are listed to choose from; a name of the others can be
// typed.
const mostPicked = 20

// pickModel lets a person at the terminal choose a model of the providers that there
// are, and store it; "" is none.
func (a asking) pickModel(ctx context.Context, catalog *model.Catalog, config *config.Store) string {
	if a.t.yes || !a.t.CanAnswer() || len(catalog.Ready()) == 0 {
		return ""
	}
	lists, _ := catalog.Lists(ctx, "")
	var names []string
	for _, l := range lists {
		for _, m := range l.Models {
			names = append(names, l.Provider+"/"+m.Name)
		}
		if l.Kind != "" {
			a.note("%s: %s", title(l.Provider, 100), title(l.Message, 400))
		}
	}
	if len(names) == 0 {
		return ""
	}
	a.t.line(a.t.words("No model is set up. These can be had:"))
	name := a.t.pick(names)
	if name == "" || !a.t.confirm(a.t.words("Use %s for new sessions too? It is saved in %s.", name, config.Path()), a.t.words("Save it"), a.t.words("Only now")) {
		return name
	}
	value, err := json.Marshal(name)
	if err == nil {
		err = config.Set("model", value)
	}
	if err != nil {
		a.note("%v", err)
	}
	return name
}

// pickSession lets a person choose a session by its number; "" is none.
func (t *terminal) pickSession(all []history.Info) string {
	if !t.CanAnswer() || t.in == nil {
		return ""
	}
	for _, s := range all[:min(len(all), mostPicked)] {
		t.line(showf("  %s  %s", s.ID, title(s.Title, 80)))
	}
	for {
		t.print("  " + t.words("Number of the session (Enter: none)") + " > ")
		typed, ok := t.read()
		if !ok || typed == "" {
			return ""
		}
		id := sessionID(typed)
		if slices.ContainsFunc(all, func(s history.Info) bool { return s.ID == id }) {
			return id
		}
		t.line("  " + t.words("There is no session %q here.", title(typed, 40)))
	}
}

// pick lets a person choose a name by its number or by itself; "" is none. A name with a
// slash is taken as it is: not every provider lists all that it has.
func (t *terminal) pick(names []string) string {
	for i, name := range names[:min(len(names), mostPicked)] {
		t.line(showf("  %2d  %s", i+1, name))
	}
	if more := len(names) - mostPicked; more > 0 {
		t.line("      " + t.words("… and %d more, by their names", more))
	}
	for {
		t.print("  " + t.words("Number or name (Enter: none)") + " > ")
		typed, ok := t.read()
		if !ok || typed == "" {
			return ""
		}
		if n, err := strconv.Atoi(typed); err == nil && 1 <= n && n <= min(len(names), mostPicked) {
			return names[n-1]
		}
		if slices.Contains(names, typed) || strings.Contains(typed, "/") {
			return typed
		}
		t.line("  " + t.words("%q is none of them. Type a number of the list, or provider/name.", title(typed, 40)))
	}
}
