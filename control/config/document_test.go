package config

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// 256 KiB is read, and one byte more is not, from the file and from the editor;
// and no write makes a file that could not be read again.
func TestConfigSizeAtTheEdge(t *testing.T) {
	const front, back = `{"model": "m", "agents": {} /*`, `*/}`
	sized := func(n int) string { return front + strings.Repeat("x", n-len(front)-len(back)) + back }
	for n, ok := range map[int]bool{maxBytes - 1: true, maxBytes: true, maxBytes + 1: false} {
		s, path := openStore(t, sized(n))
		if got := s.Settings(); (got.Model == "m") != ok || (len(got.Diagnostics) == 0) != ok {
			t.Errorf("%d bytes: %q %v", n, got.Model, got.Diagnostics)
		}
		before := read(t, path)
		if err := s.Set("model", json.RawMessage(`"longer"`)); err == nil || read(t, path) != before {
			t.Errorf("%d bytes: a file over the limit was written: %v", n, err)
		}
		inline, _ := openStore(t, "-")
		inline.SetInline(json.RawMessage(sized(n)))
		if got := inline.Settings(); got.Held != ok || (len(got.Diagnostics) == 0) != ok {
			t.Errorf("%d bytes inline: %v", n, got.Diagnostics)
		}
	}
}

// Nesting is refused before a parser is asked that calls itself for each level,
// also where it hides: a reader that took "/*/" for a whole comment did not see
// what follows.
func TestConfigNestingAtTheEdge(t *testing.T) {
	const nested = "nested more than 100 deep" // the parser was not asked
	deep := func(n int) string {
		return `{"x": ` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `}`
	}
	for text, want := range map[string]string{
		deep(maxDepth - 1): "",
		deep(maxDepth):     "",
		deep(maxDepth + 1): nested,
		`{"x": "` + strings.Repeat("[", 1000) + `"}`:                      "",
		`{"x": "\"` + strings.Repeat("[", 1000) + `"}`:                    "",
		"{} //" + strings.Repeat("[", 1000):                               "",
		"/*" + strings.Repeat("[", 1000) + "*/ {}":                        "",
		"/*/" + strings.Repeat("[", 1000) + "*/ {}":                       "",
		`/*/ " */ {"x": ` + strings.Repeat("[", 200_000):                  nested,
		`/*/ " */ {"x": ` + strings.Repeat("[", 200_000) + ` // "`:        nested,
		`{"x": "\\"` + strings.Repeat("[", 200_000):                       nested,
		`{"x": ` + strings.Repeat(`{"x":`, 40_000):                        nested,
		"/*" + strings.Repeat("[", 1000):                                  "parsing comment",
		"// \" \n{\"x\": " + strings.Repeat("[", 200_000) + "\n// \" \n}": nested,
	} {
		_, err := readDocument("config", []byte(text))
		if said := fmt.Sprint(err); (err == nil) != (want == "") || !strings.Contains(said, want) {
			t.Errorf("%.40q, %d bytes: %s", text, len(text), said)
		}
	}
}

// Columns count characters, and the place of a syntax error is that of the text,
// also behind a byte order mark and other alphabets.
func TestConfigPlaces(t *testing.T) {
	for text, want := range map[string]string{
		`{"colour": 1}`:                                 `1:2: unknown key "colour"`,
		"{ /* 配置 é */ \"colour\": 1}":                   `1:14: unknown key "colour"`,
		"\xef\xbb\xbf{\"colour\": 1}":                   `1:2: unknown key "colour"`,
		"{\r\n\t/* 𝄞 */ \"model\": 7}":                  `2:19: model must be a text; it is ignored`,
		"{ /* é */ oops}":                               `1:11: invalid literal: oops; using defaults, and asking before every call, until the file is fixed`,
		"{\n\"model\": \"m\", // 配置\n\"model\": \"n\"}": `3:1: "model" is given twice; using defaults, and asking before every call, until the file is fixed`,
		"[]": `1:1: the configuration must be an object; using defaults, and asking before every call, until the file is fixed`,
		`{"providers": {"p": {"baseUrl": 1, "baseUrl": 2}}}`:         `1:36: "providers.p.baseUrl" is given twice; using defaults, and asking before every call, until the file is fixed`,
		`{"agents": {"runtime": {"compaction": {"trigger": 1.01}}}}`: `1:51: agents.runtime.compaction.trigger must be at most 1; it is ignored`,
		`{"agents": {"runtime": {"memory": {"reset": "idle:0"}}}}`:   `1:45: agents.runtime.memory.reset must be like never, manual, daily or idle:<minutes>.; it is ignored`,
		`{"fallback": ["a", null]}`:                                  `1:14: fallback must be a list of texts; it is ignored`,
	} {
		s, path := openStore(t, text)
		d := s.Settings().Diagnostics
		if len(d) != 1 || d[0].String() != path+":"+want {
			t.Errorf("%q: %v, want %s", text, d, want)
		}
	}
}
