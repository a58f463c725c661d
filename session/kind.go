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

// serves says whether an agent may work in sessions of a kind.
func serves(a config.Agent, kind string) bool {
	return a.Keys == nil || slices.Contains(a.Keys, kind)
}

func notServed(a config.Agent, kind string) string {
	return fmt.Sprintf("the agent %q does not work in sessions of the kind %s; its file says: %s", a.Name, kind, strings.Join(a.Keys, ", "))
}

// private goes by the first line of a log and by what its key means now, "" where
// it means what it says.
func private(opened history.Opened, canonical string) bool {
	said := opened.Key
	if opened.Group {
		return false
	}
	if canonical == "" || said == "" || canonical == said {
		return isPrivate(said)
	}
	_, _, place := key.Parts(canonical)
	return isPrivate(canonical) && !strings.HasPrefix(place, "session:")
}

// isPrivate reads the last part of a key: a part has no slash of its own.
func isPrivate(key string) bool {
	place := key[strings.LastIndexByte(key, '/')+1:]
	kind, _, _ := strings.Cut(place, ":")
	return key == "" || slices.Contains([]string{"main", "dm", "session"}, kind)
}

// WrittenByGroup says of a log that others than one person have written in it: who
// makes a session out of it says so in its first line, because its key will not.
func WrittenByGroup(opened history.Opened, workspace, id string) bool {
	return !private(opened, key.Stored(opened.Key, workspace, opened.Agent, id))
}
