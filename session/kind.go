package session

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/session/key"
)

// kind is what `keys` of an agent's file goes by: main, dm or group. A session that
// nobody gave a key is a person's in the editor, as main is; what is made out of a
// group's session is a group's.
func (s *Session) kind() string {
	return kindIn(s.opened())
}

// opened is how the session that a person sees began, and what its key means now.
func (s *Session) opened() (history.Opened, string) {
	r := s.root()
	return journal.Read(r.journal, func(t *history.Transcript) history.Opened { return t.Opened }), r.key
}

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
func (s *Session) served(agent string) bool {
	a, ok := s.deps.agent(agent, s.agentMode())
	return !ok || serves(a, s.kind())
}
