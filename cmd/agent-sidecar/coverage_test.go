package main

import (
	"maps"
	"slices"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/testclient"
)

// Names that are final and that nothing here writes yet, each with what it waits
// for. A line leaves with the behaviour that it names.
var (
	eventsToCome = map[string]string{}
	kindsToCome  = map[string]string{
		"overloaded": "needs a thousand requests at once; rpc tests it by itself",
	}
)

// ours are the methods of ours that are no request of the client.
var ours = []string{"agent/event", "agent/client/approve", "agent/client/reload", "agent/diagnostics"}

// TestCoverage holds the conversations against the tables that the protocol is
// made of: what is served, written or answered is shown in one of them.
func TestCoverage(t *testing.T) {
	want := testclient.Wanted{
		Methods: slices.Concat(rpc.Methods(), ours, lspMethods()),
		Events:  without(append(history.EventTypes(), rpc.EphemeralTypes()...), eventsToCome),
		Kinds:   without(append(rpc.ErrorKinds(), modelKinds()...), kindsToCome),
		Rules:   []string{"O1", "O2", "O3", "O4", "O5", "O6", "O7", "O8", "O9"},
	}
	missing, err := testclient.Coverage(conversations, want)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range missing {
		t.Errorf("no conversation shows %s", m)
	}
	for _, later := range []map[string]string{eventsToCome, kindsToCome} {
		names := slices.Sorted(maps.Keys(later))
		stale, err := testclient.Coverage(conversations, testclient.Wanted{Events: names, Kinds: names})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if !slices.Contains(stale, "event "+name) || !slices.Contains(stale, "kind "+name) {
				t.Errorf("%s is shown in a conversation: take it from the list of what is to come", name)
			}
		}
	}
}

func without(names []string, later map[string]string) []string {
	return slices.DeleteFunc(names, func(n string) bool { _, ok := later[n]; return ok })
}
