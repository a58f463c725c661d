package rpc

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// What a client answers is bounded and read piece by piece: one that does not fit costs
// no other, and of a rename nothing is taken where anything does not fit.
func TestLanguageAnswer(t *testing.T) {
	const at = `{"start":{"line":4,"character":1},"end":{"line":4,"character":3}}`
	deep := strings.Repeat(`{"name":"n","kind":12,"selectionRange":`+at+`,"children":[`, 50) + strings.Repeat(`]}`, 50)
	for name, row := range map[string]struct {
		kind   tool.LanguageKind
		answer string
		want   string
	}{
		"null":                     {tool.LanguageReferences, `null`, "nobody"},
		"no locations":             {tool.LanguageReferences, `[]`, ""},
		"one location":             {tool.LanguageDefinition, `{"uri":"file:///a","range":` + at + `}`, "file:///a:5"},
		"a link without selection": {tool.LanguageDefinition, `[{"targetUri":"file:///a","targetRange":` + at + `}]`, "file:///a:5"},
		"one of them is garbage":   {tool.LanguageReferences, `[7,{"uri":"file:///a","range":` + at + `},{"uri":9},{"range":` + at + `}]`, "file:///a:5"},
		"all of them are":          {tool.LanguageReferences, `[7,{"uri":"file:///a"}]`, errGarbled.Error()},
		"no list":                  {tool.LanguageReferences, `"here"`, errGarbled.Error()},
		"a negative line":          {tool.LanguageReferences, `[{"uri":"file:///a","range":{"start":{"line":-1,"character":0},"end":{"line":0,"character":0}}}]`, errGarbled.Error()},
		"an enormous line":         {tool.LanguageReferences, `[{"uri":"file:///a","range":{"start":{"line":4000000000,"character":0},"end":{"line":0,"character":0}}}]`, errGarbled.Error()},
		"a symbol to be resolved":  {tool.LanguageSymbols, `[{"name":"f","kind":12,"location":{"uri":"file:///a"}}]`, "function f file:///a:1"},
		"a symbol of no kind":      {tool.LanguageSymbols, `[{"name":"f","kind":99,"location":{"uri":"file:///a","range":` + at + `}},{"name":" ","location":{"uri":"file:///a"}}]`, " f file:///a:5"},
		"symbols in symbols":       {tool.LanguageSymbols, "[" + deep + "]", strings.TrimSuffix(strings.Repeat("function n :5, ", 21), ", ")},
		"hover, marked up":         {tool.LanguageHover, `{"contents":{"kind":"markdown","value":" x "}}`, "x"},
		"hover, marked strings":    {tool.LanguageHover, `{"contents":["x",{"language":"go","value":"y"},7]}`, "x\n\ny"},
		"hover, nothing":           {tool.LanguageHover, `{"contents":""}`, ""},
		"hover, garbage":           {tool.LanguageHover, `{"contents":7}`, errGarbled.Error()},
		"hover, no object":         {tool.LanguageHover, `[1]`, errGarbled.Error()},
		"rename":                   {tool.LanguageRename, `{"changes":{"file:///a":[{"range":` + at + `,"newText":"x"}]}}`, "file:///a@0 4:1-4:3 x"},
		"rename of versions":       {tool.LanguageRename, `{"documentChanges":[{"textDocument":{"uri":"file:///a","version":3},"edits":[{"range":` + at + `,"newText":""}]}],"changes":{"file:///b":[]}}`, "file:///a@3 4:1-4:3 "},
		"rename of nothing":        {tool.LanguageRename, `{}`, ""},
		"rename without a text":    {tool.LanguageRename, `{"changes":{"file:///a":[{"range":` + at + `,"snippet":{"value":"$1"}}]}}`, errGarbled.Error()},
		"rename without a place":   {tool.LanguageRename, `{"changes":{"file:///a":[{"newText":"x"}]}}`, errGarbled.Error()},
		"rename of a file":         {tool.LanguageRename, `{"documentChanges":[{"kind":"create","uri":"file:///b"}]}`, errFileOps.Error()},
		"rename of no document":    {tool.LanguageRename, `{"documentChanges":[{"edits":[]}]}`, errGarbled.Error()},
		"rename that is no object": {tool.LanguageRename, `[]`, errGarbled.Error()},
	} {
		got, err := languageAnswer(row.kind, json.RawMessage(row.answer))
		if text := inWords(got, err); text != row.want {
			t.Errorf("%s: %q, and not %q", name, text, row.want)
		}
	}
}

func inWords(a tool.LanguageAnswer, err error) string {
	if err != nil {
		return err.Error()
	}
	var words []string
	if a.Nobody {
		words = append(words, "nobody")
	}
	for _, p := range a.Places {
		words = append(words, fmt.Sprintf("%s:%d", p.URI, p.Line))
	}
	for _, s := range a.Symbols {
		words = append(words, fmt.Sprintf("%s %s %s:%d", s.Kind, s.Name, s.URI, s.Line))
	}
	for _, c := range a.Changes {
		for _, e := range c.Edits {
			words = append(words, fmt.Sprintf("%s@%d %d:%d-%d:%d %s", c.URI, c.Version, e.Start.Line, e.Start.Character, e.End.Line, e.End.Character, e.Text))
		}
	}
	if a.Hover != "" {
		words = append(words, a.Hover)
	}
	return strings.Join(words, ", ")
}

// A hundred thousand locations are cut to what a tool can use, and a rename of too much is
// refused.
func TestLanguageAnswerIsBounded(t *testing.T) {
	const one = `{"uri":"file:///a","range":{"start":{"line":1,"character":1},"end":{"line":1,"character":2}}}`
	many := "[" + strings.TrimSuffix(strings.Repeat(one+",", 100_000), ",") + "]"
	got, err := languageAnswer(tool.LanguageReferences, json.RawMessage(many))
	if err != nil || len(got.Places) != mostPlaces || !got.More {
		t.Errorf("%d places, more %v, %v", len(got.Places), got.More, err)
	}
	edits := strings.TrimSuffix(strings.Repeat(`{"range":{"start":{"line":1,"character":1},"end":{"line":1,"character":2}},"newText":"x"},`, mostEdits+1), ",")
	if _, err = languageAnswer(tool.LanguageRename, json.RawMessage(`{"changes":{"file:///a":[`+edits+`]}}`)); err != errTooMany {
		t.Error(err)
	}
	long, err := languageAnswer(tool.LanguageHover, json.RawMessage(`{"contents":"`+strings.Repeat("ä", mostHover)+`"}`))
	if err != nil || len(long.Hover) > mostHover+3 {
		t.Error(len(long.Hover), err)
	}
}

// Edits are placed as the client counts, and only where the text has such a place.
func TestLanguageEdits(t *testing.T) {
	const text = "a😀b\r\nc\n"
	at := func(line, from, to uint32) tool.LanguageEdit {
		return tool.LanguageEdit{Start: tool.LanguagePosition{Line: line, Character: from}, End: tool.LanguagePosition{Line: line, Character: to}, Text: "x"}
	}
	across := at(0, 3, 0)
	across.End.Line = 1
	back := at(0, 1, 1)
	back.Start.Line = 1
	for name, row := range map[string]struct {
		edits []tool.LanguageEdit
		want  string
	}{
		"in order":             {[]tool.LanguageEdit{at(1, 0, 1), at(0, 3, 4)}, "5-6 8-9"},
		"across lines":         {[]tool.LanguageEdit{across}, "5-8"},
		"at the end":           {[]tool.LanguageEdit{at(2, 0, 0)}, "10-10"},
		"behind a line":        {[]tool.LanguageEdit{at(0, 4, 9)}, "an edit is at a place that the text does not have (line 1)"},
		"behind the text":      {[]tool.LanguageEdit{at(9, 0, 0)}, "an edit is at a place that the text does not have (line 10)"},
		"inside a character":   {[]tool.LanguageEdit{at(0, 2, 3)}, "an edit is at a place that the text does not have (line 1)"},
		"the end before":       {[]tool.LanguageEdit{back}, "an edit is at a place that the text does not have (line 2)"},
		"overlapping":          {[]tool.LanguageEdit{at(0, 0, 3), at(0, 1, 4)}, "two edits are at the same place"},
		"twice":                {[]tool.LanguageEdit{at(0, 0, 1), at(0, 0, 1)}, "two edits are at the same place"},
		"two insertions there": {[]tool.LanguageEdit{at(0, 1, 1), at(0, 1, 1)}, "two edits are at the same place"},
	} {
		e := &Editor{&link{client: client{encoding: wire.Negotiate(nil)}}}
		got, err := e.LanguageEdits(text, row.edits)
		var words []string
		for _, one := range got {
			words = append(words, fmt.Sprintf("%d-%d", one.Start, one.End))
		}
		if err != nil {
			words = []string{err.Error()}
		}
		if text := strings.Join(words, " "); text != row.want {
			t.Errorf("%s: %q, and not %q", name, text, row.want)
		}
	}
}
