package tasks

import (
	"encoding/json"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// alone owns a journal that nobody watches.
type alone struct{}

func (alone) Redacted(body history.Body) history.Body { return body }
func (alone) After() int64                            { return 0 }
func (alone) Published(history.Event)                 {}
func (alone) Failed(string, int64, error)             {}

// The list is the session's: it changes in a run only, and is still there when the
// run is over.
func TestTools(t *testing.T) {
	j := journal.New("0001", alone{})
	if err := j.Create(&durable.Disk{}, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		x := j.Begin()
		defer x.End()
		_ = x.Close()
	})
	tools := tool.NewSet(Tools(j)...)
	call := func(name, input string) tool.Result {
		t.Helper()
		of, ok := tools.Lookup(name)
		if !ok {
			t.Fatalf("there is no %s", name)
		}
		plan, err := of.Plan(json.RawMessage(input))
		if err != nil {
			t.Fatal(err)
		}
		result, err := plan.Run(t.Context(), tool.Grant{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	const list = `{"items": [{"text": "Look.", "status": "in_progress"}]}`
	if got := call("tasks_update", list); !got.Failed || got.Text != "no run is active" {
		t.Errorf("without a run: %+v", got)
	}
	for _, body := range []history.Body{history.Opened{Version: 1}, history.RunStarted{Kind: "prompt"}} {
		if err := j.Append("r1", body); err != nil {
			t.Fatal(err)
		}
	}
	const want = "[>] 1: Look."
	if got := call("tasks_update", list); got.Failed || got.Text != want {
		t.Errorf("in a run: %+v", got)
	}
	if err := j.Append("r1", history.RunEnded{StopReason: "end_turn"}); err != nil {
		t.Fatal(err)
	}
	if got := call("tasks_list", `{}`); got.Text != want {
		t.Errorf("behind the run: %+v", got)
	}
	if len(Names) != len(tools.Names()) {
		t.Errorf("the tools are %v, and Names has %v", tools.Names(), Names)
	}
}
