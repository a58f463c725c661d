package patch

import (
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// gitLine splits a line that git puts between `diff --git` and the names; ""
// for every other line.
func gitLine(line string) (key, value string) {
	for _, key := range []string{
		"index ", "old mode ", "new mode ", "new file mode ", "deleted file mode ", "similarity index ", "dissimilarity index ",
		"rename from ", "rename to ", "copy from ", "copy to ", "GIT binary patch", "Binary files ",
	} {
		if value, ok := strings.CutPrefix(line, key); ok {
			return key, value
		}
	}
	return "", ""
}

// gitNames are the two names behind `diff --git`. They are not separated by
// anything that a name cannot hold, so only two that are the same can be told; the
// lines below say the others. plain says that there are no prefixes.
func gitNames(s string) (old, new string, plain bool) {
	if strings.HasPrefix(s, `"`) {
		first, err := strconv.QuotedPrefix(s)
		if err != nil {
			return "", "", false
		}
		old, new = fileName(first), fileName(strings.TrimSpace(s[len(first):]))
	} else {
		half := len(s) / 2
		if len(s)%2 == 0 || s[half] != ' ' {
			return "", "", false
		}
		old, new = s[:half], s[half+1:]
	}
	if old == new {
		return old, new, true
	}
	if old, new = stripPrefixes(old, new); old == new {
		return old, new, false
	}
	return "", "", false
}

var nameStamp = lazy.Regexp(`[ \t]+\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*$`)

// fileName reads a name as it is in a patch: in quotes where git thinks that it
// is odd, with a time behind it where diff knows one.
func fileName(s string) string {
	s = strings.TrimRight(s, "\r")
	if quoted, err := strconv.QuotedPrefix(s); err == nil && quoted[0] == '"' {
		if name, err := strconv.Unquote(quoted); err == nil {
			return name
		}
	}
	s, _, _ = strings.Cut(s, "\t")
	if at := nameStamp().FindStringIndex(s); at != nil {
		s = s[:at[0]]
	}
	return strings.TrimSpace(s)
}

// stripPrefixes takes off what diff puts in front of the two names: a/ and b/, or
// the letters of git's diff.mnemonicPrefix.
func stripPrefixes(old, new string) (string, string) {
	switch o, n := strings.TrimPrefix(old, "a/"), strings.TrimPrefix(new, "b/"); {
	case old == devNull:
		return old, n
	case new == devNull:
		return o, new
	case o != old && n != new:
		return o, n
	}
	if len(old) > 2 && len(new) > 2 && old[1] == '/' && new[1] == '/' && old[0] != new[0] && old[2:] == new[2:] &&
		strings.ContainsRune("iwco12ab", rune(old[0])) && strings.ContainsRune("iwco12ab", rune(new[0])) {
		return old[2:], new[2:]
	}
	return old, new
}
