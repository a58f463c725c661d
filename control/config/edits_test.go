package config

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/tailscale/hujson"
)

// What is taken out goes with its comma and its line; comments stay.
func TestRemoveJSON(t *testing.T) {
	for in, want := range map[string]string{
		`{"model": "m"}`:                               `{}`,
		`{"model": "m",}`:                              `{}`,
		`{"model": "m", "x": 1}`:                       `{"x": 1}`,
		`{"x": 1, "model": "m"}`:                       `{"x": 1}`,
		`{"x": 1, "model": "m",}`:                      `{"x": 1, }`,
		`{"model": "m" /* c */ , "x": 1}`:              `{/* c */  "x": 1}`,
		`{"x": 1 /* c */ , "model": "m"}`:              `{"x": 1 /* c */ }`,
		"{\n  \"model\": \"m\"\n}\n":                   "{\n}\n",
		"{\r\n  \"model\": \"m\",\r\n  \"x\": 1\r\n}":  "{\r\n  \"x\": 1\r\n}",
		"{\n  \"model\": \"m\", // mine\n}\n":          "{\n  // mine\n}\n",
		"{\n  \"x\": 1, // c\n  \"model\": \"m\"\n}\n": "{\n  \"x\": 1 // c\n}\n",
		`{"agents": 7}`:                                `{"agents": 7}`,
		`{}`:                                           `{}`,
	} {
		got, err := removeJSON([]byte(in), "model")
		if err != nil || string(got) != want {
			t.Errorf("%q: %q, want %q; %v", in, got, want, err)
		}
		if _, err := parseJSONC(got); err != nil {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// A null on the way is as if it were not there; anything else is not written over.
func TestSetJSONThroughWhatStandsThere(t *testing.T) {
	for in, want := range map[string]string{
		`{"agents": null}`:                         `{"agents": {"runtime": {"x": 1}}}`,
		`{"agents": {"runtime": null}}`:            `{"agents": {"runtime": {"x": 1}}}`,
		`{"agents": {"runtime": 7}}`:               "",
		`{"agents": []}`:                           "",
		`{"agents": {"runtime": {"x": {"y": 2}}}}`: `{"agents": {"runtime": {"x": 1}}}`,
		`{"\u0061gents": {}}`:                      `{"\u0061gents": {"runtime": {"x": 1}}}`,
	} {
		got, err := setJSON([]byte(in), "agents.runtime.x", json.RawMessage("1"))
		if (err != nil) != (want == "") || string(got) != want {
			t.Errorf("%q: %q, want %q; %v", in, got, want, err)
		}
	}
}

// Setting what was not there and taking it out again leaves the same bytes,
// where everything has a line of its own.
func TestSetAndResetLeaveNothingBehind(t *testing.T) {
	for _, in := range []string{
		"{\n}\n", "{\n  \"x\": 1\n}\n", "{\n  \"x\": 1,\n}\n", "{\n  \"x\": 1, // c\n}\n", "{\n  \"x\": 1 // c\n}\n", "\xef\xbb\xbf{\r\n  \"x\": 1\r\n}\r\n",
		"// top {\n{\n\t\"x\": [1, 2], /* a */\n\t// end\n}",
	} {
		with, err := setJSON([]byte(in), "model", json.RawMessage(`"m"`))
		if err != nil {
			t.Fatal(err)
		}
		back, err := removeJSON(with, "model")
		if err != nil || string(back) != in {
			t.Errorf("%q became %q and then %q; %v", in, with, back, err)
		}
	}
}

// FuzzEdit edits any configuration and holds that what was not named is as it
// was: every byte outside the edit, every comment, every other value.
func FuzzEdit(f *testing.F) {
	for _, text := range []string{
		"", "{}", commented, "\xef\xbb\xbf{\r\n \"a\" : {\"b\":1,},\r\n}", `{"a":null}`, `{"a":{"b":[1,2,/*c*/]}}`, "{\n\"a\":{//x\n}}", `{"a":[/*x*/]}`, "// {\n{\"a\" /*k*/ : /*v*/ {\"b\" : [ // y\n1]} /*z*/}",
		`{"a": {"b": 1 /* c */ , "d": 2}}`, "{\"a\":{\n\t\"b\":[\n\t\t1 // one\n\t]}}", "{\"a\":1}//", "{\"a\":1}// x", "{\"a\":[1]/*/ \" */}",
	} {
		for op := range 3 {
			f.Add([]byte(text), uint8(op))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, op uint8) {
		if _, err := readDocument("config", text); err != nil {
			return
		}
		path := []string{"a.b", "a", "model", "c.d.e"}[op/3%4]
		names := strings.Split(path, ".")
		had := lookup(t, text, names)
		var next []byte
		var err error
		switch op % 3 {
		case 0:
			next, err = setJSON(text, path, json.RawMessage(`{"v": "// \" */"}`))
		case 1:
			next, err = removeJSON(text, path)
		default:
			next, err = appendJSON(text, path, "x")
		}
		if err != nil {
			return // something stands in the way; nothing was written
		}
		if len(next) > maxBytes {
			return
		}
		if _, err := parseJSONC(next); err != nil {
			t.Fatalf("%q became %q: %v", text, next, err)
		}
		if !bytes.HasPrefix(text, byteOrderMark) == bytes.HasPrefix(next, byteOrderMark) {
			t.Fatalf("%q became %q: the byte order mark", text, next)
		}
		now := lookup(t, next, names)
		switch op % 3 {
		case 0:
			if !reflect.DeepEqual(now, map[string]any{"v": `// " */`}) {
				t.Fatalf("%q became %q", text, next)
			}
		case 1:
			if now != nil && !twice(text, names) {
				t.Fatalf("%q became %q", text, next)
			}
		default:
			list, _ := had.([]any)
			if !reflect.DeepEqual(now, append(slices.Clone(list), "x")) {
				t.Fatalf("%q became %q", text, next)
			}
		}
		if !reflect.DeepEqual(others(t, text, names), others(t, next, names)) {
			t.Fatalf("%q became %q: another value changed", text, next)
		}
		if op%3 != 0 || had == nil { // comments inside a value go with it
			if old, now := comments(text), comments(next); op%3 != 1 && old != now {
				t.Fatalf("%q became %q: comments %q, were %q", text, next, now, old)
			}
		}
		small, large := text, next // what was added to, or taken from
		if op%3 == 1 {
			small, large = next, text
		}
		if (op%3 != 0 || had == nil) && len(bytes.TrimSpace(bytes.TrimPrefix(text, byteOrderMark))) > 0 && !within(small, large) && !bytes.Contains(text, []byte("null")) {
			t.Fatalf("%q became %q: a byte outside of the edit changed", text, next)
		}
	})
}

// within says that large is small with bytes put in between.
func within(small, large []byte) bool {
	for _, b := range large {
		if len(small) > 0 && small[0] == b {
			small = small[1:]
		}
	}
	return len(small) == 0
}

// twice says that a name on the way is given twice, below keys nobody knows.
func twice(text []byte, names []string) bool {
	d := &document{text: text}
	root, err := parseJSONC(text)
	return err == nil && root.Value != nil && d.once("", &root) != nil
}

// plain is the value of a text, and of names below it.
func plain(t *testing.T, text []byte) any {
	t.Helper()
	root, err := parseJSONC(text)
	if err != nil {
		t.Fatal(err)
	}
	if root.Value == nil {
		return map[string]any{}
	}
	root.Standardize()
	var v any
	if err := json.Unmarshal(root.Pack(), &v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}

func lookup(t *testing.T, text []byte, names []string) any {
	t.Helper()
	v := plain(t, text)
	for _, name := range names {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

// others is everything but what names lead to; objects that are empty without it
// do not count, they were made for it.
func others(t *testing.T, text []byte, names []string) any {
	t.Helper()
	v := plain(t, text)
	var without func(v any, names []string) any
	without = func(v any, names []string) any {
		object, ok := v.(map[string]any)
		if !ok {
			return v
		}
		if len(names) == 1 {
			delete(object, names[0])
		} else if inner := without(object[names[0]], names[1:]); inner == nil {
			delete(object, names[0])
		}
		if len(object) == 0 {
			return nil
		}
		return object
	}
	return without(v, names)
}

// comments is every comment of a text, in order.
func comments(text []byte) string {
	root, err := parseJSONC(text)
	if err != nil || root.Value == nil {
		return ""
	}
	var b strings.Builder
	for v := range root.All() {
		for _, extra := range []hujson.Extra{v.BeforeExtra, v.AfterExtra} {
			b.Write(bytes.Map(noSpace, extra))
		}
		switch v := v.Value.(type) {
		case *hujson.Object:
			b.Write(bytes.Map(noSpace, v.AfterExtra))
		case *hujson.Array:
			b.Write(bytes.Map(noSpace, v.AfterExtra))
		}
	}
	pieces := strings.Split(b.String(), "")
	slices.Sort(pieces) // the order of the walk is not that of the text
	return strings.Join(pieces, "")
}

func noSpace(r rune) rune {
	if strings.ContainsRune(" \t\r\n", r) {
		return -1
	}
	return r
}

const commented = `// my configuration
{
  "model": "m", // the good one
  "agents": {
    "runtime": {
      /* careful */
      "permission": {
        "rules": [
          // read docs
          {"domain": "read", "pattern": "fs:/usr/share/doc/**", "decision": "allow"}, // yes
        ],
      },
    },
  },
}
`

// A comment behind the last rule is about that rule, with and without a comma.
func TestNewRuleStandsBehindTheCommentOfTheLast(t *testing.T) {
	const rules = `{"agents": {"runtime": {"permission": {"rules": [
  {"domain": "bash", "pattern": "rm *", "decision": "deny"}%s
]}}}}`
	for behind, want := range map[string]string{
		"":                   ",\n  NEW",
		", // never":         ", // never\n  NEW,",
		" // never":          ", // never\n  NEW",
		" /* never */":       ", /* never */\n  NEW",
		",":                  ",\n  NEW,",
		", /* a */ // never": ", /* a */\n  NEW, // never",
	} {
		s, path := openStore(t, strings.Replace(rules, "%s", behind, 1))
		if err := s.AddAlways(control.Rule{Domain: "read", Pattern: "x", Decision: "allow"}); err != nil {
			t.Errorf("%q: %v", behind, err)
		}
		want = strings.Replace(want, "NEW", `{"domain":"read","pattern":"x","decision":"allow","by":"always"}`, 1)
		if got := read(t, path); got != strings.Replace(rules, "%s", want, 1) {
			t.Errorf("%q: %s", behind, got)
		}
	}
}

func TestConfigWritesKeepEveryOtherByte(t *testing.T) {
	rule := control.Rule{Domain: "bash", Pattern: "go test ./...", Decision: "allow", Exact: true, Workspace: "w-1"}
	const stored = `{"domain":"bash","pattern":"go test ./...","decision":"allow","workspace":"w-1","exact":true,"by":"always"}`
	s, path := openStore(t, commented)
	if err := s.AddAlways(rule); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(commented, `"decision": "allow"}, // yes`, `"decision": "allow"}, // yes`+"\n          "+stored+`,`, 1)
	if got := read(t, path); got != want {
		t.Fatalf("%s", got)
	}
	if err := s.AddAlways(rule); err != nil || read(t, path) != want {
		t.Error("stored twice", err)
	}
	if err := s.Set(runtimePath+"limits.maxTurns", json.RawMessage("5")); err != nil {
		t.Fatal(err)
	}
	if err := s.Set("model", json.RawMessage(`"n"`)); err != nil {
		t.Fatal(err)
	}
	want = strings.Replace(want, `"model": "m"`, `"model": "n"`, 1)
	want = strings.Replace(want, "        ],\n      },", "        ],\n      },\n      \"limits\": {\"maxTurns\": 5},", 1)
	if got := read(t, path); got != want {
		t.Fatalf("%s", got)
	}
	if s.Settings().Limits.MaxTurns != 5 || s.Settings().Model != "n" {
		t.Error("not in force at once")
	}
	if err := s.Reset("model"); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != strings.Replace(want, `"model": "n", `, "", 1) || s.Settings().Model != "" {
		t.Errorf("%s", got)
	}
	if layers := s.Settings().Layers; layers[len(layers)-1].Source != "always" || layers[len(layers)-1].Rules[1].Pattern != rule.Pattern {
		t.Error(layers)
	}
	for _, k := range []string{"nothing", runtimePath + "permission.rules", "trust.workspaces"} {
		if s.Set(k, json.RawMessage(`"x"`)) == nil {
			t.Errorf("%s could be set", k)
		}
	}
	if s.Set("model", json.RawMessage("7")) == nil || s.Set(runtimePath+"mode.default", json.RawMessage(`"full_access"`)) == nil {
		t.Error("a value that does not fit was set")
	}
}

func TestConfigWritesIntoAnything(t *testing.T) {
	for _, text := range []string{
		"-", "", "\xef\xbb\xbf", "{}", "{ }", "{\n}\n", "// {\n{}", `{"agents":{}}`, `{"agents":{"runtime":{"permission":{}}}}`, `{"agents":{"runtime":{"permission":{"rules":[]}}}}`,
		`{"agents":{"runtime":{"permission":{"rules":[ ]}}}}`, `{"agents":{"runtime":{"permission":{"rules":null}}}}`, `{"agents":null}`, `{"model":"m"}`, `{"model":"m",}`, "{\r\n\t\"model\": \"m\"\r\n}\r\n",
		`{"agents":{"runtime":{"permission":{"rules":[{"domain":"bash","pattern":"x","decision":"ask"} /* c */ ,]}}}}`,
		"{\"agents\":{\"runtime\":{\"permission\":{\"rules\":[\n]}}}}",
	} {
		s, path := openStore(t, text)
		before := len(s.Settings().Layers[len(s.Settings().Layers)-1].Rules)
		err := s.AddAlways(control.Rule{Domain: "bash", Pattern: "a & <b>", Decision: "allow"}, control.Rule{Domain: "bash", Pattern: "c", Decision: "allow"})
		rules := s.Settings().Layers[len(s.Settings().Layers)-1].Rules
		if strings.Contains(text, `"agents":null`) {
			if err != nil {
				continue // refused is fine: nothing was changed
			}
		}
		if err != nil || len(rules) != before+2 || len(s.Settings().Diagnostics) != 0 {
			t.Errorf("%q: %v\n%s\n%v", text, err, read(t, path), s.Settings().Diagnostics)
		}
		if strings.HasPrefix(text, "\xef\xbb\xbf") != strings.HasPrefix(read(t, path), "\xef\xbb\xbf") {
			t.Errorf("%q: byte order mark", text)
		}
	}
}
