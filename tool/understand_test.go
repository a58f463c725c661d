package tool

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

type looksArgs struct {
	Path       string    `json:"path"`
	Pattern    string    `json:"pattern,omitempty"`
	Limit      int       `json:"limit,omitempty"`
	Share      float64   `json:"share,omitempty"`
	IgnoreCase bool      `json:"ignoreCase,omitempty"`
	Names      []string  `json:"names,omitempty"`
	Counts     []int     `json:"counts,omitempty"`
	Of         looksPart `json:"of,omitzero"`
}

type looksPart struct {
	Mode string `json:"mode,omitempty" words:"short,long"`
}

func looks(effect Effect, tolerant bool) Tool {
	return Define(Spec{Name: "looks", Effect: effect, Tolerant: tolerant}, func(looksArgs) (*Plan, error) { return &Plan{}, nil })
}

// What is understood, and in which words that is said. Everything understood is taken
// by the strict reading of the same tool.
func TestUnderstand(t *testing.T) {
	of := looks(Read, true)
	for _, row := range []struct{ args, want, note string }{
		// Another notation.
		{`{'path': 'a', 'ignoreCase': True, 'pattern': None,}`, `{"path":"a","ignoreCase":true,"pattern":null}`, "which are a Python dict and an object with a comma too many, not a JSON object: write true, false, null and double quotes, no comma before } and ]."},
		{`{"path": "a", "ignoreCase": False}`, `{"path":"a","ignoreCase":false}`, "a Python dict"},
		{`{'path': "it's"}`, `{"path":"it's"}`, "a Python dict"},
		{`{'path': 'it\'s "b"'}`, `{"path":"it's \"b\""}`, "a Python dict"},
		{`{"path": "it\'s"}`, `{"path":"it's"}`, "a Python dict"},
		{"{\"path\": \"a\nb\tc\"}", `{"path":"a\nb\tc"}`, "a raw line break or tab in a string"},
		{`{"path": "a", "pattern": "\d+\.\w"}`, `{"path":"a","pattern":"\\d+\\.\\w"}`, `an escape such as \d, not a JSON object: write \\ for a backslash.`},
		{`{"path": "a", "pattern": "\d\"\d"}`, `{"path":"a","pattern":"\\d\"\\d"}`, "escape"},
		{"```json\n{\"path\": \"a\",}\n```", `{"path":"a"}`, "an object in a code fence and an object with a comma too many"},
		{`"{\"path\": \"a\"}"`, `{"path":"a"}`, "an object in a string"},
		{`'{"path": "a"}'`, `{"path":"a"}`, "an object in a string and a Python dict"},
		{`{"path": "\ud83d\ude00é", "names": ["a",],}`, `{"path":"😀é","names":["a"]}`, "a comma too many"},
		// Another name.
		{`{"file_path": "a"}`, `{"path":"a"}`, `Understood "file_path" as "path".`},
		{`{"filePath": "a"}`, `{"path":"a"}`, `Understood "filePath" as "path".`},
		{`{"Path": "a", "ignore_case": true}`, `{"path":"a","ignoreCase":true}`, `Understood "Path" as "path". Understood "ignore_case" as "ignoreCase".`},
		{`{"path": null, "file": "a"}`, `{"path":"a"}`, `Understood "file" as "path".`},
		{`{"path": "a", "file_path": "a"}`, `{"path":"a"}`, `Understood "file_path" as "path".`},
		{`{"path": "a", "file_path": null}`, `{"path":"a"}`, `Left out "file_path"`},
		{`{"filename": "a", "query": "b", "max_results": "5"}`, `{"path":"a","pattern":"b","limit":5}`, `"5" as 5 in "limit"`},
		// None.
		{`{"path": "a", "exclude": "b"}`, `{"path":"a"}`, `Left out "exclude": looks has no such argument, so it had no effect.`},
		{`{"path": "a", "of": {"mode": "long", "colour": 1}}`, `{"path":"a","of":{"mode":"long"}}`, `Left out "colour": of has no such argument`},
		// Another type.
		{`{"path": "a", "limit": "5"}`, `{"path":"a","limit":5}`, `Understood "5" as 5 in "limit".`},
		{`{"path": "a", "limit": 5.0}`, `{"path":"a","limit":5}`, `Understood 5.0 as 5 in "limit".`},
		{`{"path": "a", "limit": "-5"}`, `{"path":"a","limit":-5}`, `as -5`},
		{`{"path": "a", "share": "0.5"}`, `{"path":"a","share":0.5}`, `as 0.5`},
		{`{"path": 5}`, `{"path":"5"}`, `Understood 5 as "5" in "path".`},
		{`{"path": "a", "ignoreCase": "true"}`, `{"path":"a","ignoreCase":true}`, `Understood "true" as true`},
		{`{"path": "a", "ignoreCase": "False"}`, `{"path":"a","ignoreCase":false}`, `Understood "False" as false`},
		{`{"path": "a", "names": "b"}`, `{"path":"a","names":["b"]}`, `Understood "b" as ["b"] in "names".`},
		{`{"path": "a", "names": "[\"b\", 5]"}`, `{"path":"a","names":["b","5"]}`, `Understood 5 as "5" in "names"`},
		{`{"path": "a", "counts": "['1', 2]"}`, `{"path":"a","counts":[1,2]}`, `"counts"`},
		{`{"path": "a", "of": "{\"Mode\": \"long\"}"}`, `{"path":"a","of":{"mode":"long"}}`, `"Mode" as "mode"`},
	} {
		got, ok := Understand(of.Spec(), row.args)
		if notes := strings.Join(got.Notes, " "); !ok || string(got.Input) != row.want || !strings.Contains(notes, row.note) {
			t.Errorf("%s: %s %q, want %s %q", row.args, got.Input, notes, row.want, row.note)
			continue
		}
		if _, err := of.Plan(got.Input); err != nil {
			t.Errorf("%s: %v", row.args, err)
		}
		if more, again := Understand(of.Spec(), string(got.Input)); again {
			t.Errorf("%s: there is more to understand: %q", got.Input, more.Notes)
		}
	}
}

// What is right, what can mean two things, and what nobody can read is left alone.
func TestNotUnderstood(t *testing.T) {
	of := looks(Read, true)
	for _, args := range []string{
		// Right.
		`{"path": "a", "limit": 5, "pattern": null}`, `{ "path" : "\u0061" }`, `{}`,
		// Two readings.
		`{"path": "a", "file_path": "b"}`, `{"path": "a", "Path": "b"}`, `{"file_path": "a", "filename": "b"}`,
		`{"path": "a", "path": "a"}`, `{'path': 'a', "path": 'a'}`, `{"of": "{'mode': 1, 'mode': 1}", "path": "a"}`, `{"file_path": "a", "file_path": "a"}`,
		`{"path": "a", "pattern": "\\w\d"}`, `{"path": "C:\new\docs"}`, `{"path": "a", "pattern": "\bfoo\d"}`, `{"path": "a", "pattern": "\x41"}`, `{"path": "a", "pattern": "(a)\1"}`, `{"path": "my\ file"}`,
		`{"path": "a", "ignoreCase": "yes"}`, `{"path": "a", "ignoreCase": 1}`, `{"path": true}`, `{"path": ["a"]}`, `{"path": "a", "limit": "5.5"}`, `{"path": "a", "limit": "05"}`, `{"path": "a", "limit": " 5"}`,
		`{"path": "a", "limit": "99999999999999999999"}`, `{"path": "a", "limit": 1e3}`, `{"path": "a", "names": ""}`, `{"path": "a", "counts": "x"}`, `{"path": "a", "share": "x"}`, `{"path": "a", "of": "x"}`,
		// Cut off, or more than one.
		`{'path': 'a`, `{'path': 'a'`, `{'path': `, `{'path'`, `{`, ``, "```json\n{\"path\": \"a\"", `{"file_path": "a"}{"file_path": "b"}`, `{"file_path": "a"} and so on`, `"{\"path\": \"a\""`,
		// Another notation.
		`{path: 'a'}`, `{'path': ('a',)}`, `{'path': {'a'}}`, `{'path': r'a'}`, `{'path': 'a' 'b'}`, `dict(path='a')`, `{"path": "a" /* b */}`, `{'path' = 'a'}`, `{"path": "a", "limit": 0x10}`, `{"path": "a", "limit": +5}`, `{"path": "a", "share": NaN}`, `{,}`, `{"path": "a",,}`,
		"{\"path\": \"a\x00\"}", "{\"file_path\": \"a\"}\x00", "{\"file_path\": \"a\"}\v", "{\"path\": \"\xff\", \"x\": 1}", `{"path": "\ud800", "x": 1}`, `{"path": "\ud800\ud800", "x": 1}`, `{"path": "\ud800\n", "x": 1}`,
		// No object.
		`['a']`, `'a'`, `5`, `None`, `null`, `"\"{'path': 'a'}\""`,
		strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100), `{"path": "` + strings.Repeat("a", MostUnderstood) + `", "x": 1}`,
	} {
		if got, ok := Understand(of.Spec(), args); ok {
			t.Errorf("%.80s: %s %q", args, got.Input, got.Notes)
		}
	}
}

// Nobody guesses what a call means that changes, runs or reaches something, nor one of a
// tool that has not said that it only looks.
func TestOnlyToolsThatLookUnderstand(t *testing.T) {
	for _, args := range []string{`{"file_path": "a"}`, `{'path': 'a'}`, `{"path": "a", "limit": "5"}`, `{"path": "a", "exclude": "b"}`, "{\"path\": \"a\nb\"}"} {
		for _, of := range []Tool{looks(Unknown, true), looks(Exec, true), looks(Write, true), looks(Net, true), looks(Read, false), ThirdParty(Spec{Name: "looks", Effect: Read, Tolerant: true, Schema: looks(Read, true).Spec().Schema}, nil)} {
			if got, ok := Understand(of.Spec(), args); ok {
				t.Errorf("%s of %s: %s", args, of.Spec().Effect, got.Input)
			}
			if _, err := of.Plan(json.RawMessage(args)); err == nil {
				t.Errorf("%s of %s is taken", args, of.Spec().Effect)
			}
		}
	}
	for args, want := range map[string]string{"```\n{\"a\":1}\n```": `{"a":1}`, `{"a":[1,],}`: `{"a":[1]}`, `"{\"a\":1}"`: `{"a":1}`} {
		if got, ok := Understand(looks(Read, false).Spec(), args); !ok || string(got.Input) != want {
			t.Errorf("%s: %s", args, got.Input)
		}
		if got, ok := Understand(looks(Write, false).Spec(), args); ok {
			t.Errorf("%s: %s", args, got.Input)
		}
	}
}

// An error names the right form.
func TestErrorsNameTheRightForm(t *testing.T) {
	type item struct {
		Text string `json:"text"`
	}
	type args struct {
		Path    string   `json:"path"`
		Include string   `json:"include,omitempty"`
		Old     string   `json:"old,omitempty"`
		Limit   *int64   `json:"limit,omitempty"`
		All     bool     `json:"all,omitempty"`
		Share   float64  `json:"share,omitempty"`
		Names   []string `json:"names,omitempty"`
		Items   []item   `json:"items,omitempty"`
	}
	of := Define(Spec{Name: "t", Effect: Write}, func(args) (*Plan, error) { return &Plan{}, nil })
	for _, row := range []struct{ args, want string }{
		{`{"file_path": "a"}`, `t: unknown argument "file_path"; it is called "path"`},
		{`{"filename": "a"}`, `t: unknown argument "filename"; it may be "path" or "include"`},
		{`{"path": "a", "old_string": "b", "Limit": 1}`, `t: unknown argument "old_string"; it is called "old"; unknown argument "Limit"; it is called "limit"`},
		{`{"path": "a", "Path": "b"}`, `t: unknown argument "Path"; it is called "path", which is there, too: give it once`},
		{`{"path": "a", "exclude": "b"}`, `t: unknown argument "exclude"; there are "path", "include", "old", "limit", "all", "share", "names" and "items"`},
		{`{"path": "a", "exclude": "b", "x": 1, "Old": ""}`, `t: unknown argument "Old"; it is called "old"; unknown argument "exclude" and "x"; there are "path"`},
		{`{"path": "a", "items": [{"text": "a"}, {"text": "a", "Text": "b"}]}`, `t: unknown argument "items/1/Text"; it is called "text", which is there, too: give it once`},
		{`{"path": "a", "limit": "5"}`, `t: argument "limit": a JSON string does not fit, want a whole number, as in 5`},
		{`{"path": 5}`, `t: argument "path": a JSON number does not fit, want a string, as in "text"`},
		{`{"path": "a", "all": "true"}`, `t: argument "all": a JSON string does not fit, want true or false, without quotes`},
		{`{"path": "a", "share": "x"}`, `t: argument "share": a JSON string does not fit, want a number, as in 0.5`},
		{`{"path": "a", "names": "x"}`, `t: argument "names": a JSON string does not fit, want an array, as in ["text"]`},
		{`{"path": "a", "items": "[]"}`, `t: argument "items": a JSON string does not fit, want an array of objects`},
		{`{"path": "a", "items": ["a"]}`, `t: argument "items/0": a JSON string does not fit, want an object, as in {"name": "value"}`},
		{`{"` + strings.Repeat("x", 500) + `": 1}`, `t: unknown argument "` + strings.Repeat("x", mostShown) + `…"; there are`},
		{`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1}`, `"g" and "h"; there are "path"`},
	} {
		if _, err := of.Plan(json.RawMessage(row.args)); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %s", row.args, err, row.want)
		}
	}
	none := Define(Spec{Name: "none", Effect: Write}, func(struct{}) (*Plan, error) { return &Plan{}, nil })
	if _, err := none.Plan(json.RawMessage(`{"all":true}`)); err == nil || err.Error() != `none: unknown argument "all"; there are none` {
		t.Error(err)
	}
}

// The names are compared folded.
func TestSynonymsAreFolded(t *testing.T) {
	for of, names := range synonyms {
		for _, name := range append(names, of) {
			if name != fold(name) {
				t.Errorf("%s of %s is not folded", name, of)
			}
		}
	}
}

// What is nearly JSON is named, also where nobody may act on it.
func TestNearJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{'a': None}`: "a Python dict", `{"a": "\n\d"}`: "an escape such as", "```\n{}\n```": "a code fence", `"{}"`: "an object in a string", `{"a": "\x41"}`: "an escape such as",
		`{"a": 1}`: "", `['a']`: "", `None`: "", `{'a': `: "", `{a: 1}`: "",
	} {
		if wrong, better, ok := NearJSON(text); ok != (want != "") || !strings.Contains(wrong, want) || ok != (better != "") {
			t.Errorf("%s: %q %q", text, wrong, better)
		}
	}
}

// Whatever is read loosely: JSON means what it means to a strict reader, and nothing
// that is understood is anything but an object that is taken for itself.
func FuzzUnderstand(f *testing.F) {
	for _, seed := range []string{`{'path': 'a', "limit": "5", 'x': None,}`, "```json\n{\"path\":\"\\d\"}\n```", `"{\"path\":\"a\"}"`, `{"path":"\ud83d\ude00"}`, `{"names":"['a', \"b\"]","of":"{}"}`, `[[[[`, `{"a":{"b":[1,-0.5e3,true]}}`} {
		f.Add(seed)
	}
	spec := looks(Read, true).Spec()
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := Understand(spec, text)
		v, forms, unsure, err := loose(text)
		if err == nil && forms == 0 && !unsure && json.Valid([]byte(text)) {
			var strict, same any
			if json.Unmarshal([]byte(text), &strict) == nil && (json.Unmarshal([]byte(v.json()), &same) != nil || !reflect.DeepEqual(strict, same)) {
				t.Fatalf("%s was read as %s", text, v.json())
			}
		}
		if err == nil && forms == 0 && !json.Valid([]byte(text)) {
			t.Fatalf("%q is not JSON, and nothing is said about it", text)
		}
		if !ok {
			return
		}
		if !json.Valid(got.Input) || got.Input[0] != '{' || !utf8.Valid(got.Input) || len(got.Notes) == 0 || len(got.Notes) > mostNotes+2 {
			t.Fatalf("%q: %s %q", text, got.Input, got.Notes)
		}
		if again, more := Understand(spec, string(got.Input)); more && len(again.Input) >= len(got.Input)+len(text) {
			t.Fatalf("%s grows to %s", got.Input, again.Input)
		}
	})
}
