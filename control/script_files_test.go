package control

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/names"
)

// Bypass: a search for the files with an end that only sources have hits none that is on
// a list.
func TestBypassSearchForSources(t *testing.T) {
	searched := 0
	for _, pattern := range slices.Concat(sensitivePatterns, names.Sensitive) {
		end := path.Ext(strings.TrimSuffix(pattern, "/**"))
		if end == "" || strings.ContainsAny(end, "*?[{") {
			continue
		}
		searched++
		if d := decide(everything(), bashPlan("find . -name '*"+end+"' -exec cat {} +")); d.Verdict == Allow {
			t.Errorf("%s is read by a search for *%s that the rule covers", pattern, end)
		}
	}
	if searched < 20 {
		t.Errorf("only %d searches", searched)
	}
}
