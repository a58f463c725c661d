package control

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/names"
)

// Bypass: a search for the files with an end that only sources have hits none that is on
// a list.
func TestBypassSearchForSources(t *testing.T) {
	for _, pattern := range slices.Concat(sensitivePatterns, names.Sensitive) {
		if strings.HasSuffix(pattern, "*") {
			continue // any text may be behind it, and is
		}
		name := strings.ReplaceAll(pattern, "*", "x")
		if d := decide(baseFacts(allowBash("find *")...), bashPlan("find . -name '*"+name[strings.LastIndexByte(name, '.')+1:]+"' -exec cat {} +")); d.Verdict == Allow {
			t.Errorf("%s is read by a search that the rule covers: %s", pattern, d.Reason)
		}
	}
}
