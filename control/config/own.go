package config

import (
	jsonexp "github.com/go-json-experiment/json"
	"github.com/tailscale/hujson"
)

// takeSearch decodes the provider. Only the user's own file can name one: a repository's
// settings could send what is searched for to whom they like.
func (d *document) takeSearch(v *hujson.Value) {
	s := WebSearch{}
	s.Line, s.Column, _ = d.place(v.StartOffset)
	if d.takeOwn(v, "webSearch", searchMembers, &s, func() error { return s.check() }, "there is no search") {
		d.search = &s
	}
}

// takeSync decodes the server. Only the user's own file can name one: sessions are sent there.
func (d *document) takeSync(v *hujson.Value) {
	s := Sync{}
	s.Line, s.Column, _ = d.place(v.StartOffset)
	if d.takeOwn(v, "sync", syncMembers, &s, func() error { return s.check() }, "sessions are not copied") {
		d.sync = &s
	}
}

// takeOwn decodes an object that only the user's own file can have. What is wrong with it is a
// diagnostic, and the object is not used: otherwise says what follows.
func (d *document) takeOwn(v *hujson.Value, name string, members []string, into any, check func() error, otherwise string) bool {
	object, ok := v.Value.(*hujson.Object)
	if !ok || len(object.Members) == 0 {
		return false
	}
	if d.source != "config" {
		d.say("warning", v.StartOffset, "%s applies only in the user's own configuration; here it is ignored", name)
		return false
	}
	d.unknownMembers(object, members, name)
	plain := v.Clone()
	plain.Standardize()
	if err := jsonexp.Unmarshal(plain.Pack(), into); err != nil {
		d.say("error", v.StartOffset, "%s cannot be read; %s: its members must be strings", name, otherwise)
		return false
	}
	if err := check(); err != nil {
		d.say("error", v.StartOffset, "%s: %v; %s", name, err, otherwise)
		return false
	}
	return true
}
