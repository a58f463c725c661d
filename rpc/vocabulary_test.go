package rpc

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// What the types of the editors say a text may be is what the document says.
func TestVocabularyIsInTheDocument(t *testing.T) {
	doc, err := os.ReadFile("../PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range vocabulary {
		for _, word := range w.Values {
			if !strings.Contains(string(doc), "`"+word+"`") {
				t.Errorf("%s: PROTOCOL.md has no `%s`", w.Name, word)
			}
		}
	}
}

// And no event of any conversation says another word.
func TestVocabularyIsWhole(t *testing.T) {
	shape := map[string]string{} // by type of event
	for _, e := range shaped().Events {
		if shape[e.Type] = shapeNames[e.Data]; shape[e.Type] == "" {
			shape[e.Type] = e.Data.Name()
		}
	}
	words := map[string][]string{} // by shape and member
	for _, w := range vocabulary {
		for _, m := range w.Members {
			words[m] = w.Values
		}
	}
	files, err := filepath.Glob("../testclient/testdata/conversations/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	checked := 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for rest := string(raw); ; {
			_, after, found := strings.Cut(rest, `"type": "`)
			if !found {
				break
			}
			rest = after
			kind, data, _ := strings.Cut(rest, `", "data": `)
			if shape[kind] == "" {
				continue
			}
			var members map[string]any
			if json.NewDecoder(strings.NewReader(data)).Decode(&members) != nil {
				continue // cut short with {…}
			}
			for name, value := range members {
				allowed, is := words[shape[kind]+"."+name]
				if is {
					checked++
				}
				for _, word := range textsIn(value) {
					if is && !slices.Contains(allowed, word) {
						t.Errorf("%s: %s has %s %q", filepath.Base(file), kind, name, word)
					}
				}
			}
		}
	}
	if checked < 500 {
		t.Errorf("only %d words were found in all conversations", checked)
	}
}

// textsIn are a text, or those of a list.
func textsIn(v any) (out []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, of := range v {
			out = append(out, textsIn(of)...)
		}
	}
	return out
}

// A member is required where its own check misses it, and nowhere else.
func TestRequired(t *testing.T) {
	for _, row := range []struct {
		params any
		want   []string
	}{
		{runParams{}, nil}, // a prompt, or retry
		{approveParams{}, []string{"approvalId", "decision"}},
		{sessionUndoParams{}, []string{"sessionId", "to"}},
		{queueParams{}, []string{"sessionId", "op"}},
		{artifactParams{}, nil}, // one of three
		{clientApproveResult{}, nil},
		{sessionParams{}, nil},
	} {
		if got := required(reflect.TypeOf(row.params)); !slices.Equal(got, row.want) {
			t.Errorf("%T requires %v, want %v", row.params, got, row.want)
		}
	}
}
