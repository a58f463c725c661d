package scriptmodel

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// longHex is a hash or an id, which no piece of an answer cuts.
var longHex = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9a-f]{16,}`) })

// pieces cuts s after about size bytes, never inside a rune, nor inside a hash: where
// the cut falls depends on how long the path before it is, and each half would get a
// name of its own (names.text), by which the whole is then called.
func pieces(s string, size int) []string {
	var out []string
	for len(s) > size {
		n := size
		for _, hash := range longHex().FindAllStringIndex(s, -1) {
			if hash[0] < n && n < hash[1] {
				n = hash[1]
			}
		}
		for n < len(s) && !utf8.RuneStart(s[n]) {
			n++
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	if s != "" {
		out = append(out, s)
	}
	return out
}

// encoded keeps <, > and &, as providers do.
func encoded(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // maps of strings and numbers always encode
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func quoted(s string) json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always encodes
	}
	return raw
}

// textOfParts is a text, or its parts joined; images and files are named.
func textOfParts(content json.RawMessage) string {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return s
	}
	var parts []struct{ Type, Text string }
	if json.Unmarshal(content, &parts) != nil {
		return string(content)
	}
	var b strings.Builder
	for _, p := range parts {
		if strings.HasSuffix(p.Type, "text") { // text, input_text, output_text
			b.WriteString(p.Text)
			continue
		}
		fmt.Fprintf(&b, "[%s]", p.Type)
	}
	return b.String()
}

// tokensOf is how many tokens so many bytes of a request or an answer are, by
// the measure of the scripted model: 3.5 bytes each, rounded up.
func tokensOf(bytes int) int { return (bytes*2 + 6) / 7 }
