package main

import (
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
var ours = []string{"agent/event", "agent/client/approve", "agent/client/reload", "agent/client/semantic", "agent/client/tool", "agent/client/task", "agent/diagnostics"}

// TestCoverage holds the conversations against the tables that the protocol is
// made of: what is served, written or answered is shown in one of them.
func TestCoverage(t *testing.T) {
	want := testclient.Wanted{
		Methods: slices.Concat(rpc.Methods(), ours, lspMethods()),
		Events:  slices.Concat(history.EventTypes(), rpc.EphemeralTypes()),
		Kinds:   slices.Concat(rpc.ErrorKinds(), modelKinds()),
		Rules:   []string{"O1", "O2", "O3", "O4", "O5", "O6", "O7", "O8", "O9"},
	}
	missing, err := testclient.Coverage(conversations, want)
	if err != nil {
		t.Fatal(err)
	}
	for kind, later := range map[string]map[string]string{"event ": eventsToCome, "kind ": kindsToCome} {
		for name := range later {
			at := slices.Index(missing, kind+name)
			if at < 0 {
				t.Errorf("%s is shown in a conversation, or is no name any more: take it from the list of what is to come", name)
				continue
			}
			missing = slices.Delete(missing, at, at+1)
		}
	}
	for _, m := range missing {
		t.Errorf("no conversation shows %s", m)
	}
}
