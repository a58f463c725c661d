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
		d.say("warning", name.StartOffset, "unknown key %q; there are %s", path+"."+word, strings.Join(known, ", "))
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

// unknownMembers warns of members that an entry cannot have. of names the entry.
func (d *document) unknownMembers(entry *hujson.Object, known []string, of string) {
	for i := range entry.Members {
		if name := entry.Members[i].Name.Value.(hujson.Literal).String(); !slices.Contains(known, name) {
			d.say("warning", entry.Members[i].Name.StartOffset, "unknown key %q of %s", name, of)
		}
	}
}
