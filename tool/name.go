package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	MaxName   = 64      // bytes: the longest name of a tool that a provider takes
	MCPPrefix = "mcp__" // what the names of MCP servers' tools begin with
	// HostPrefix is what the names of the editor's own tools begin with.
	HostPrefix = "host__"

	// MCPCall calls any tool of an MCP server, and ToolSearch finds one.
	MCPCall    = "mcp_call"
	ToolSearch = "tool_search"
)

// ForeignName is front and what a model may call the rest: as it is where that is
// plain, else what can be kept of it and a hash. No provider takes a dot.
func ForeignName(front, own string) string {
	clean := strings.ReplaceAll(PlainName(own, MaxName), ".", "-")
	if clean == own && clean != "" && len(front)+len(clean) <= MaxName {
		return front + clean
	}
	sum := sha256.Sum256([]byte(own))
	end := "_" + hex.EncodeToString(sum[:])[:8]
	return front + clean[:min(len(clean), MaxName-len(front)-len(end))] + end
}

// PlainName keeps letters, digits, `.`, `_` and `-`, writes everything else as
// one `-`, and cuts after max bytes (always beside a hash where the name comes
// from outside).
func PlainName(s string, max int) string {
	var b strings.Builder
	dash := false
	for _, r := range s {
		ok := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-'
		switch {
		case b.Len() >= max:
			return b.String()
		case ok:
			b.WriteRune(r)
			dash = false
		case !dash:
			b.WriteByte('-')
			dash = true
		}
	}
	return b.String()
}
