package shell

import (
	"slices"
	"strings"
)

// hardSelf keeps a command from being a way around the questions: the sidecar's
// own program writes into its home, with --yes or --trust-client it answers them itself,
// with --set, --config or --profile it has other rules, and it signs in to servers. Those are words for a person.
func (h *hardLimits) hardSelf(cmd *Command) {
	words := slices.DeleteFunc(slices.Clone(cmd.likely), func(a string) bool { return strings.HasPrefix(a, "-") })
	if i := slices.Index(words, "config"); i >= 0 && (slices.Contains(words[i:], "set") || slices.Contains(words[i:], "reset")) {
		h.m.block("agent-sidecar config changes the sidecar's own home")
	}
	if i := slices.Index(words, "mcp"); i >= 0 && slices.ContainsFunc(words[i:], func(a string) bool { return signing[a] }) {
		h.m.block("agent-sidecar mcp signs in for a person")
	}
	for _, a := range cmd.likely {
		flag, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if strings.HasPrefix(a, "-") && (flag == "trust-client" || flag == "yes" && slices.Contains(words, "run")) {
			h.m.block("agent-sidecar --" + flag + " answers its own questions")
		}
		if strings.HasPrefix(a, "-") && slices.Contains(ownRules, flag) {
			h.m.block("agent-sidecar --" + flag + " changes its own rules")
		}
	}
}

// signing are the words that sign in to a server, or out.
var signing = map[string]bool{"login": true, "logout": true}

// ownRules are the flags that put something over the configuration.
var ownRules = []string{"set", "config", "profile"}
