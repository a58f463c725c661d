package session

import (
	"context"
	"iter"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// listener is a model that remembers what it was asked.
type listener struct {
	*answers
	asked []model.Request
}

func (l *listener) Stream(ctx context.Context, r model.Request) iter.Seq2[model.Part, error] {
	l.asked = append(l.asked, r)
	return l.answers.Stream(ctx, r)
}

// A run works with what the session said when it began, also where a change comes
// before its first request; the next one works with the last change.
func TestARunDoesNotMove(t *testing.T) {
	h := newHouse(t, model.Done{Text: "one"}, model.Done{Text: "two"})
	ears := &listener{answers: h.model}
	var opened []string
	h.around.openModel = func(name string, _ []string) (model.Model, error) {
		opened = append(opened, name)
		return ears, nil
	}
	s := h.session(t)
	set := func(prompt, name string, temperature float64) map[string]string {
		t.Helper()
		p := ParamsPatch{set: model.Params{Temperature: &temperature}}
		applied, err := s.Update(Update{SystemPrompt: &prompt, Model: &name, Params: &p})
		if err != nil {
			t.Fatal(err)
		}
		return applied
	}
	if a := set("You are A.", "a", 0.1); a["model"] != "now" || a["params"] != "now" || a["systemPrompt"] != "now" {
		t.Errorf("idle: %v", a)
	}
	ack, err := s.Prompt(Prompt{Request: history.Request{Prompt: prompt("go").Prompt}})
	if err != nil || !ack.Owed {
		t.Fatal(ack, err)
	}
	for _, to := range []string{"b", "c"} { // the last one wins
		if a := set("You are "+to+".", to, 0.9); a["model"] != "queued-change" || a["params"] != "queued-change" || a["systemPrompt"] != "queued-change" {
			t.Errorf("running: %v", a)
		}
	}
	opened = nil // an update tries to open, too
	s.Work()
	if _, err := s.Run(t.Context(), Prompt{Request: history.Request{Prompt: prompt("again").Prompt}}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		prompt, model string
		temperature   float64
	}{{"You are A.", "a", 0.1}, {"You are c.", "c", 0.9}} {
		r := ears.asked[i]
		if got := r.Messages[0].Text; len(got) < 10 || got[:10] != want.prompt || *r.Params.Temperature != want.temperature || opened[i] != want.model {
			t.Errorf("run %d: %q, %v, %s; want %+v", i+1, got, *r.Params.Temperature, opened[i], want)
		}
	}
}
