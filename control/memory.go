package control

import (
	"path"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// isMemory says that the memory tool writes one of its own two kinds of files.
func isMemory(plan *tool.Plan, o object) bool {
	if plan.Tool != "memory" || !o.isVault() {
		return false
	}
	return o.rest == ".agent/MEMORY.md" || path.Dir(o.rest) == ".agent/memory" && strings.HasSuffix(o.rest, ".md")
}

// ofMemory says that an object is one of the memory files, in any folder and any
// case of letters, or the directory that has them.
func ofMemory(o object) bool {
	rest := strings.ToLower(o.rest)
	return o.isVault() && (rest == ".agent/memory.md" || rest == ".agent/memory" || strings.HasPrefix(rest, ".agent/memory/"))
}

// closedMemory says what of memory a session of a group does not get: long-term memory
// at all, and any change. The notes of days it reads like other files.
func closedMemory(domain tool.Domain, o object) bool {
	rest := strings.ToLower(o.rest)
	aDay := rest == ".agent/memory" || path.Dir(rest) == ".agent/memory" && strings.HasSuffix(rest, ".md")
	return ofMemory(o) && (domain != tool.DomainRead || !aDay)
}
