package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// told is what jsonWalk tells of a text that is given so many bytes at a time.
func told(text string, size int) map[string][]string {
	all := map[string][]string{}
	var open string
	w := jsonWalk{
		text: func(path string, piece []byte, done bool) {
			if open += string(piece); done {
				all[path], open = append(all[path], open), ""
			}
		},
		scalar: func(path, value string) { all[path] = append(all[path], value) },
	}
	for rest := []byte(text); len(rest) > 0; {
		n := min(size, len(rest))
		w.write(rest[:n])
		rest = rest[n:]
	}
	return all
}

func TestJSONWalk(t *testing.T) {
	for text, want := range map[string]string{
		anAnswer: "map[id:[1] jsonrpc:[2.0]]",
		`{"a":{"b":[{"c":"x"},{"c":"y","d":[1,true,null]}]},"e":-1.5e3}`: "map[a.b.c:[x y] a.b.d:[1 true null] e:[-1.5e3]]",
		`{"a":"\"\\\/\b\f\n\r\té🙂é"}`:                                    "map[a:[\"\\/\b\f\n\r\té🙂é]]",
		`{"a":"\ud800x\udc00"}`:                                          "map[a:[\uFFFDx\uFFFD]]",
		`{"id":1,"x":{"id":2},"y":[{"id":3}]}`:                           "map[id:[1] x.id:[2] y.id:[3]]",
		`{"result":{"content":[{"type":"text","text":"a"}]},"id":"z"}`:   "map[id:[z] result.content.text:[a] result.content.type:[text]]",
		`{"id" : 1 }`:             "map[id:[1]]",
		`{"":"x"}`:                "map[:[x]]",
		`]}]{"id":4}`:             "map[id:[4]]",
		`{"a":"never ends`:        "map[]",
		strings.Repeat("[", 2000): "map[]",
	} {
		for _, size := range []int{1, 2, 3, len(text)} {
			if got := fmt.Sprint(told(text, size)); got != want {
				t.Errorf("%.100s, %d at once: %s, want %s", text, size, got, want)
			}
		}
	}
	long := strings.Repeat("k", jsonKeyBytes)
	if got := told(`{"`+long+`x":1}`, 7); len(got[long]) != 1 {
		t.Errorf("%v", got)
	}
}

// What is JSON is told as encoding/json reads it, however it is cut; what is none
// breaks nothing.
func FuzzJSONWalk(f *testing.F) {
	for _, seed := range []string{anAnswer, `{"a":{"b":["x",1]},"a":"\ud800\ud800\udc00\n"}`, `["x"]`, `"x"`, `{"a":"\ud83d\ude42"}`, `}{`} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, text string, size int) {
		size = 1 + max(0, size)%20
		got := told(text, size)
		if whole := told(text, len(text)+1); fmt.Sprint(whole) != fmt.Sprint(got) {
			t.Fatalf("%q: %v in pieces of %d, %v at once", text, got, size, whole)
		}
		var v any
		if !utf8.ValidString(text) || !json.Valid([]byte(text)) || json.Unmarshal([]byte(text), &v) != nil {
			return
		}
		var want []string
		collect(v, &want)
		var have []string
		for _, path := range slices.Sorted(maps.Keys(got)) {
			have = append(have, got[path]...)
		}
		for _, s := range want { // members given twice make it more, never less
			if !slices.Contains(have, s) {
				t.Fatalf("%q: %q is not among %q", text, s, have)
			}
		}
	})
}

// collect lists the strings of a value, as far down as jsonWalk looks.
func collect(v any, into *[]string) {
	switch v := v.(type) {
	case string:
		*into = append(*into, v)
	case []any:
		for _, e := range v {
			collect(e, into)
		}
	case map[string]any:
		for _, e := range v {
			collect(e, into)
		}
	}
}
