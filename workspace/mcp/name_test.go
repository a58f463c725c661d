package mcp

import (
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

func TestNames(t *testing.T) {
	server, _ := badServerOf(t, "bad names")
	w := newWorld(t, "")
	seen := map[string]bool{}
	for _, of := range w.start(server) {
		spec := of.Spec()
		if name := spec.Name; len(name) > tool.MaxName || !strings.HasPrefix(name, "mcp__bad__") || tool.PlainName(name, 100) != name || strings.Contains(name, ".") || seen[strings.ToLower(name)] {
			t.Errorf("%q", name)
		}
		seen[strings.ToLower(spec.Name)] = true
		says := spec.Description[strings.Index(spec.Description, "«"):]
		if len(says) > serverWords+len("«…»") || strings.ContainsRune(spec.Description, '\u202e') || strings.Count(spec.Description, "«") != 1 || strings.Count(spec.Description, "»") != 1 {
			t.Errorf("%q", spec.Description)
		}
	}
	if len(seen) != 11 || !seen["mcp__bad__task"] || !seen["mcp__bad__ok"] || !seen["mcp__bad__ok_2"] || !seen["mcp__bad__ok_3"] {
		t.Errorf("%v", seen)
	}
}

// The names at their edge: 64 characters are what providers take.
func TestNameLength(t *testing.T) {
	front := len("mcp__bad__")
	for _, n := range []int{tool.MaxName - front - 1, tool.MaxName - front, tool.MaxName - front + 1} {
		own := strings.Repeat("n", n)
		names := namesOf("bad", []string{own, own, own})
		for i, name := range names {
			if len(name) > tool.MaxName || i > 0 && name == names[i-1] {
				t.Errorf("%d: %v", n, names)
			}
		}
		if whole := names[0] == "mcp__bad__"+own; whole != (front+n <= tool.MaxName) {
			t.Errorf("%d: %s", n, names[0])
		}
	}
	longest := strings.Repeat("s", 32)
	if a, b := nameOf(longest, strings.Repeat("n", 90)+"a"), nameOf(longest, strings.Repeat("n", 90)+"b"); a == b || len(a) != tool.MaxName {
		t.Errorf("%s %s", a, b)
	}
}

// A changed number is a changed decision.
func TestNumbers(t *testing.T) {
	if serverWords != 1024 {
		t.Errorf("a server's description has %d bytes (ruling 93: 1 KiB)", serverWords)
	}
}
