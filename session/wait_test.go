package session

import (
	"fmt"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

func TestPromisesAreBounded(t *testing.T) {
	h := newHouse(t)
	s := h.session(t)
	var first string
	for i := range mostSettled + 10 {
		h.model.list = []model.Done{{Text: fmt.Sprint("answer ", i), Model: "m"}}
		e, err := s.Run(t.Context(), Prompt{Request: history.Request{Prompt: history.Text("go")}})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = e.RunID
		}
	}
	if len(s.ends.byRun) > mostSettled {
		t.Errorf("%d promises", len(s.ends.byRun))
	}
	if e, err := s.Wait(t.Context(), first); err != nil || e.Text != "answer 0" {
		t.Errorf("%+v, %v", e, err)
	}
}
