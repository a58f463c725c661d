package config

import (
	"slices"

	"github.com/tailscale/hujson"
)

// unknownMembers warns of members that an entry cannot have. of names the entry.
func (d *document) unknownMembers(entry *hujson.Object, known []string, of string) {
	for i := range entry.Members {
		if name := entry.Members[i].Name.Value.(hujson.Literal).String(); !slices.Contains(known, name) {
			d.say("warning", entry.Members[i].Name.StartOffset, "unknown key %q of %s", name, of)
		}
	}
}
