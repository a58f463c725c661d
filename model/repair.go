package model

import (
	"encoding/json"
	"strings"
	"unicode"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// What a model once said goes back with every later request, and the strictest
// provider refuses all of it for one odd name or one empty answer. So it is made
// plain here, whatever is in the history: a session can be old, and a log can
// come from elsewhere.

// maxName is how long the name of a tool may be, in bytes, at the strictest
// provider.
const maxName = 64

// unknownTool is the name of a call that has none.
const unknownTool = "unknown_tool"

var oddInName = lazy.Regexp(`[^A-Za-z0-9_-]+`)

// PlainName is name as every provider takes it: letters, digits, _ and -, 1 to 64
// of them. A name that is plain already comes back as it is.
func PlainName(name string) string {
	plain := name
	if oddInName().MatchString(name) {
		plain = strings.Trim(oddInName().ReplaceAllString(name, "_"), "_")
	}
	if len(plain) > maxName {
		plain = strings.TrimRight(plain[:maxName], "_")
	}
	if plain == "" {
		return unknownTool
	}
	return plain
}

// sentArguments: providers refuse arguments that are no JSON object. What the
// model wrote stays in the session; here it only has to be accepted.
func sentArguments(args string) string {
	trimmed := strings.TrimSpace(args)
	switch {
	case trimmed == "" || trimmed == "null":
		return "{}"
	case trimmed[0] == '{' && json.Valid([]byte(trimmed)):
		return string(tool.WholeRunes([]byte(args)))
	}
	return string(encodeJSON(map[string]string{"malformed_arguments": args}))
}

// IsBlank says that a text has nothing to read: only blanks, and what is not
// shown. Providers refuse it as they refuse an empty one.
func IsBlank(text string) bool {
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf) }) == ""
}
