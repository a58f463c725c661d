package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// checkProviders warns about members of providers and of their models that nobody
// reads: a misspelt one looks as if it did something.
func (d *document) checkProviders(v *hujson.Value) {
	provider := shapes["providers"]["additionalProperties"].(node)
	model := provider["properties"].(node)["models"].(node)["additionalProperties"].(node)
	eachObject(v, func(name string, one *hujson.Value) {
		d.checkMembers("providers."+name, one, provider)
		eachObject(one, func(member string, models *hujson.Value) {
			if member != "models" {
				return
			}
			eachObject(models, func(of string, one *hujson.Value) {
				d.checkMembers("providers."+name+".models."+of, one, model)
			})
		})
	})
}

// checkMembers warns about the members of an object that its shape does not have.
func (d *document) checkMembers(path string, v *hujson.Value, shape node) {
	known := slices.Sorted(maps.Keys(shape["properties"].(node)))
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return
	}
	for i := range object.Members {
		name := object.Members[i].Name
		word := name.Value.(hujson.Literal).String()
		if slices.Contains(known, word) {
			continue
		}
		hint := ""
		if near := nearest(word, known); near != "" {
			hint = `; there is "` + near + `"`
		}
		d.say("warning", name.StartOffset, "unknown key %q%s", path+"."+word, hint)
	}
}

// eachObject calls f with the members of an object; anything else has none.
func eachObject(v *hujson.Value, f func(name string, value *hujson.Value)) {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return
	}
	for i := range object.Members {
		f(object.Members[i].Name.Value.(hujson.Literal).String(), &object.Members[i].Value)
	}
}

// nearest is the name that was probably meant by a word: one that at most a third
// of its letters separate from it, whatever their case; "" where there is none.
func nearest(word string, names []string) string {
	best, found := len(word)/3+1, ""
	if len(word) > 64 { // no name is nearly as long
		return ""
	}
	for _, name := range names {
		if n := distance(strings.ToLower(word), strings.ToLower(name)); n < best {
			best, found = n, name
		}
	}
	return found
}

// distance is how many letters must be put in, taken out or replaced to get from
// one word to the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
