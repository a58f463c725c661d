package config

import (
	"encoding/json"
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
				eachObject(one, func(member string, price *hujson.Value) {
					if member == "price" {
						d.checkPrice("providers."+name+".models."+of+".price", price, model["properties"].(node)["price"].(node))
					}
				})
			})
		})
	})
}

// checkPrice warns about a price that nobody can count with: it counts as none.
func (d *document) checkPrice(path string, v *hujson.Value, shape node) {
	d.checkMembers(path, v, shape)
	said := map[string]bool{}
	eachObject(v, func(name string, one *hujson.Value) {
		var n float64
		said[name] = true
		if number, is := one.Value.(hujson.Literal); !is || json.Unmarshal(number, &n) != nil || n < 0 || n > mostPrice || number.Kind() != '0' {
			d.say("warning", one.StartOffset, "%s.%s must be a number from 0 to %.0f, in USD for a million tokens; the model counts as one without a price", path, name, mostPrice)
		}
	})
	if !said["input"] || !said["output"] {
		d.say("warning", v.StartOffset, "%s must have input and output; the model counts as one without a price", path)
	}
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
