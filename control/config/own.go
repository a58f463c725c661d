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

// takeNetwork decodes the way out. Only the user's own file has one: who names a proxy reads
// where connections go. What cannot be used is not passed by: without it a connection would go
// where the person did not want it.
func (d *document) takeNetwork(v *hujson.Value) {
	n := &Network{}
	n.Line, n.Column, _ = d.place(v.StartOffset)
	if d.takeOwn(v, "network", networkMembers, n, n.check, networkOtherwise) {
		d.network = n
		return
	}
	if object, ok := v.Value.(*hujson.Object); d.source == "config" && ok && len(object.Members) > 0 {
		d.breakNetwork()
	}
}

const networkOtherwise = "until it is right nothing is connected to but this machine"

// breakNetwork keeps that there is something in the user's file that cannot be used, and says
// what follows.
func (d *document) breakNetwork() string {
	d.network = &Network{Broken: "network in the configuration cannot be used"}
	return networkOtherwise
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
		d.say("error", v.StartOffset, "%s cannot be read; %s: a member has a value of the wrong kind", name, otherwise)
		return false
	}
	if err := check(); err != nil {
		d.say("error", v.StartOffset, "%s: %v; %s", name, err, otherwise)
		return false
	}
	return true
}
