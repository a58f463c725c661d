package control

import (
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// repositories asks about edits in what git would take for a repository. They are
// looked at together: a patch may bring all pieces in one go.
func repositories(resolver Resolver, verdicts []verdict) {
	r, ok := resolver.(Repositories)
	if !ok {
		return
	}
	var edits []string
	seen := map[string]bool{}
	for i := range verdicts {
		if t := verdicts[i].target; t.Domain == tool.DomainEdit && !seen[t.Object] {
			seen[t.Object] = true
			edits = append(edits, t.Object)
		}
	}
	if len(edits) == 0 {
		return
	}
	clear(seen)
	for _, object := range r.Repositories(edits) {
		seen[object] = true
	}
	for i := range verdicts {
		if t := verdicts[i].target; t.Domain == tool.DomainEdit && seen[t.Object] {
			verdicts[i].around = said.That("git would take this folder for a repository")
		}
	}
}
