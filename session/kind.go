package session

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/key"
)

func kindIn(opened history.Opened, canonical string) string {
	if !private(opened, canonical) {
		return "group"
	}
	return kindOf(cmp.Or(canonical, opened.Key))
}

// kindOf is that of a canonical key.
func kindOf(canonical string) string {
	_, _, place := key.Parts(canonical)
	switch kind, _, _ := strings.Cut(place, ":"); kind {
	case "dm", "group":
		return kind
	}
	return "main"
}

// kindOfNew is that of a session that is about to be made under a key, or without one.
func (d *Deps) kindOfNew(n *NewSession) string {
	canonical, err := key.Canonical(n.Key, d.WorkspaceID, n.Agent)
	if err != nil {
		return "main" // none, or one that is refused
	}
	return kindOf(canonical)
}

// serves says whether an agent may work in sessions of a kind.
func serves(a config.Agent, kind string) bool {
	return a.Keys == nil || slices.Contains(a.Keys, kind)
}

func notServed(a config.Agent, kind string) string {
	return fmt.Sprintf("the agent %q does not work in sessions of the kind %s; its file says: %s", a.Name, kind, strings.Join(a.Keys, ", "))
}

// served says whether this session may have an agent, as far as its kind goes.
func (o *roster) served(agent string) bool {
	a, ok := o.deps.agent(agent, o.mode())
	return !ok || serves(a, o.root.kind())
}
