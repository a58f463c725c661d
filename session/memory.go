package session

import (
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/key"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// The tools that write memory, and find what stands in it.
const (
	memoryName   = "memory"
	memorySearch = "memory_search"
)

// WrittenByGroup says of a log that others than one person have written in it: who
// makes a session out of it says so in its first line, because its key will not.
func WrittenByGroup(opened history.Opened, workspace, id string) bool {
	return !private(opened, key.Stored(opened.Key, workspace, opened.Agent, id))
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

// memory is the part of the system prompt that tells of earlier sessions; a
// sub-agent has none.
func (w *worker) memory() string {
	if w.session.above != nil || !w.root.private() {
		return ""
	}
	return w.deps.Surroundings.Memory()
}

// withMemory takes the tools from those who have no memory: a group finds what was
// noted day by day and writes nothing, a sub-agent has neither.
func (b *toolbox) withMemory(all tool.Set) tool.Set {
	var gone []string
	switch on := b.deps.Config.Settings().Memory.Enabled; {
	case b.session.above != nil || !on:
		gone = []string{memoryName, memorySearch}
	case !b.root.private():
		gone = []string{memoryName}
	}
	return without(all, gone...)
}

// without is a set that lacks these tools.
func without(all tool.Set, gone ...string) tool.Set {
	if !slices.ContainsFunc(gone, func(name string) bool { return has(all, name) }) {
		return all
	}
	return all.Only(slices.DeleteFunc(all.Names(), func(name string) bool { return slices.Contains(gone, name) })...)
}
