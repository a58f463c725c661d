package config

import "testing"

func TestTaskDescription(t *testing.T) {
	got := TaskDescription([]Agent{{Name: "explore", Description: "a scout", Use: "finding things"}, {Name: "x", Description: "d"}})
	if got != "task(agent=\"explore\", prompt=\"…\"): a scout; use for finding things\ntask(agent=\"x\", prompt=\"…\"): d" {
		t.Error(got)
	}
	if got = UnknownAgent("y", []Agent{{Name: "a"}, {Name: "b"}}); got != `unknown agent "y"; available: a, b` {
		t.Error(got)
	}
	for _, a := range BuiltInAgents() {
		if a.Name == "build" && a.Tools != nil || a.Name == "compaction" && (a.Tools == nil || len(a.Tools) > 0) {
			t.Errorf("%+v", a)
		}
	}
}
