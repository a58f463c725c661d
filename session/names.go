package session

import (
	"slices"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

const (
	taskName  = "task"
	skillName = "skill"
)

// The tools that write memory, and find what is in it.
const (
	memoryName   = "memory"
	memorySearch = "memory_search"
)

func has(set tool.Set, name string) bool {
	_, ok := set.Lookup(name)
	return ok
}

// without is a set that lacks these tools.
func without(all tool.Set, gone ...string) tool.Set {
	if !slices.ContainsFunc(gone, func(name string) bool { return has(all, name) }) {
		return all
	}
	return all.Only(slices.DeleteFunc(all.Names(), func(name string) bool { return slices.Contains(gone, name) })...)
}

// writerOf names a call as the source of secrets that the model wrote itself.
func writerOf(session, callID string) string {
	if callID == "" {
		return ""
	}
	return "call:" + session + ":" + callID
}
