package session

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// sized is an answer that the provider reported usage for.
func sized(text string, in, out int64, by string) history.AssistantMessage {
	a := says(text)
	a.Usage, a.Model = &history.TokenCount{InputTokens: in, OutputTokens: out}, by
	return a
}

// saw lets the session have seen the last report in this process.
func (s *Session) saw() {
	shown := stateOf(s).Total()
	for _, i := range stateOf(s).Since() {
		shown = shown.Minus(i.Size)
	}
	s.worker.view.shown = nil
	if stateOf(s).Reported > 0 {
		s.worker.view.shown = &shown
	}
}

// ofTokens is a text of so many tokens by the raw estimate.
func ofTokens(tokens int) string { return strings.Repeat("ab ", tokens) }

func TestUsedIsTheLastReportAndWhatCameAfter(t *testing.T) {
	const message = 13 // a frame of 40 bytes
	image := history.UserMessage{Content: []history.Block{{Type: "image"}}}
	for name, row := range map[string]struct {
		bodies []history.Body
		want   int64
	}{
		"nothing reported":                 {[]history.Body{prompt(ofTokens(100))}, 1000 + 100 + message},
		"reported":                         {[]history.Body{prompt(ofTokens(100)), sized(ofTokens(70), 500, 80, "m")}, 580},
		"what came after":                  {[]history.Body{prompt(ofTokens(100)), sized("x", 500, 80, "m"), prompt(ofTokens(30))}, 580 + 30 + message},
		"the newest report":                {[]history.Body{prompt(ofTokens(100)), sized("x", 500, 80, "m"), sized("y", 700, 20, "m")}, 720},
		"an answer without a report":       {[]history.Body{prompt("p"), sized("x", 500, 80, "m"), says(ofTokens(40))}, 580 + 40 + message},
		"another model's report":           {[]history.Body{prompt(ofTokens(100)), sized(ofTokens(70), 500, 80, "n")}, 1000 + 100 + 70 + 2*message},
		"from before a summary":            {[]history.Body{prompt("p"), sized("x", 500, 80, "m"), prompt(ofTokens(30)), history.ContextCompacted{OK: true, Summary: ofTokens(20), KeepFrom: 3}}, 1000 + 20 + 30 + message},
		"a summary that was not accepted":  {[]history.Body{prompt("p"), sized("x", 500, 80, "m"), history.ContextCompacted{KeepFrom: 3}}, 580},
		"images":                           {[]history.Body{prompt("p"), sized("x", 500, 80, "m"), image}, 580 + model.ImageTokens + message},
		"words that waited for the answer": {[]history.Body{prompt("p"), steered(ofTokens(50)), sized("x", 500, 80, "m")}, 580 + 50 + message + model.RawTokens("<system-reminder>\nThe user sent the following message:\n%s\n\nPlease address this message and continue with your tasks.\n</system-reminder>")},
		"arguments beside the log":         {[]history.Body{prompt("p"), sized("x", 500, 80, "m"), stashedCall(t, 30_000)}, 580 + (30_000+int64(len("write"))+40+80)/3},
	} {
		h := newHouse(t)
		s := h.session(t)
		show(s, tell(t, row.bodies...).live)
		s.saw()
		if got := s.worker.view.used(&run{model: h.model, fixed: history.Size{Bytes: 3000}}); got != row.want {
			t.Errorf("%s: %d tokens, want %d", name, got, row.want)
		}
	}
}

func stashedCall(t *testing.T, bytes int) history.AssistantMessage {
	input, err := history.StashedInput(strings.Repeat("a", 64), bytes)
	if err != nil {
		t.Fatal(err)
	}
	return history.AssistantMessage{Calls: []history.Call{{CallID: "c", Tool: "write", Input: input}}}
}

// What is learned corrects estimates and never what was reported or counted.
func TestUsedIsCorrectedByWhatWasLearned(t *testing.T) {
	h := newHouse(t)
	h.model.name = "gpt-5"
	h.around.ratio = 0.5
	s := h.session(t)
	show(s, tell(t, prompt("p"), sized("x", 500, 80, "gpt-5"), prompt(ofTokens(96))).live)
	s.saw()
	r := &run{model: h.model, ctx: context.Background()}
	if got := s.worker.view.used(r); got != 580+54 {
		t.Errorf("estimated %d, want 634", got)
	}
	h.around.exact = func(_, text string) int64 { return int64(len(text) / 9) }
	s.worker.view.countExactly(r, 1)
	if got := s.worker.view.used(r); got != 580+32+13 {
		t.Errorf("counted %d, want %d", got, 580+32+13)
	}
	stateOf(s).Items[2].Size.Bytes = 60 // it is sent shortened from now on
	stateOf(s).Edits++
	if got := s.worker.view.used(r); got != 580+10 {
		t.Errorf("shortened: %d, want 590", got)
	}
}

// Where the model has another vocabulary, what is counted here only adds: it may make
// more tokens of a text than ours does.
func TestWeighOnlyAddsForAnotherVocabulary(t *testing.T) {
	for name, row := range map[string]struct {
		model string
		each  int64 // bytes a token
		want  int64
	}{
		"ours, fewer":   {"gpt-5", 6, 580 + 50 + 13},
		"ours, more":    {"gpt-5", 2, 580 + 150 + 13},
		"theirs, fewer": {"vendor/m", 6, 580 + 100 + 13},
		"theirs, more":  {"vendor/m", 2, 580 + 150 + 13},
	} {
		h := newHouse(t)
		h.model.name = row.model
		h.around.exact = func(_, text string) int64 { return int64(len(text)) / row.each }
		s := h.session(t)
		show(s, tell(t, prompt("p"), sized("x", 500, 80, row.model), prompt(ofTokens(100))).live)
		s.saw()
		r := &run{model: h.model, ctx: context.Background()}
		s.worker.view.countExactly(r, 1)
		if got := s.worker.view.used(r); got != row.want {
			t.Errorf("%s: %d, want %d", name, got, row.want)
		}
	}
}

// The tokenizer is asked from nine tenths of a threshold on, about what was not
// reported, once a message, and with no lock held.
func TestWeighCountsNearAThreshold(t *testing.T) {
	h := newHouse(t)
	s := h.session(t)
	var asked []string
	h.around.exact = func(_, text string) int64 {
		asked = append(asked, text[:1])
		_ = s.Info() // waits for ever where the session is locked
		return int64(len(text) / 4)
	}
	live := tell(t, prompt("early"), sized("x", 500, 300, "m"), prompt("new"+ofTokens(86)))
	show(s, live.live) // 800 + (87*3 + 40) / 3 = 900
	s.saw()
	r := &run{model: h.model, ctx: context.Background()}
	for _, row := range []struct {
		threshold int64
		want      []string
	}{{0, nil}, {1001, nil}, {1000, []string{"n"}}, {999, []string{"n"}}} {
		asked, s.worker.view.weights = nil, map[int64]weight{}
		s.worker.view.countExactly(r, row.threshold)
		s.worker.view.countExactly(r, row.threshold) // once is enough
		if !reflect.DeepEqual(asked, row.want) {
			t.Errorf("threshold %d: counted %q, want %q", row.threshold, asked, row.want)
		}
	}
	live.add(prompt("later"))
	asked = nil
	s.worker.view.countExactly(r, 900)
	if !reflect.DeepEqual(asked, []string{"l"}) {
		t.Errorf("a message later: counted %q, want the new one alone", asked)
	}
}

// A long prompt lies beside the log, and the model is sent all of it.
func TestWeighSeesWhatLiesBesideTheLog(t *testing.T) {
	h := newHouse(t)
	h.model.name = "gpt-5"
	s := h.session(t)
	name, err := s.intake.blobs.put([]byte(ofTokens(50_000)))
	if err != nil {
		t.Fatal(err)
	}
	show(s, tell(t, history.RunStarted{Kind: "prompt", Prompt: []history.Block{{Type: "artifact", ArtifactID: name, Bytes: 150_000}}}).live)
	r := &run{model: h.model, ctx: context.Background()}
	s.worker.view.countExactly(r, 1_000_000)
	if got := s.worker.view.used(r); got < 50_000 || got > 50_020 {
		t.Errorf("estimated %d, want 50,000", got)
	}
	h.around.exact = func(_, text string) int64 { return int64(len(text) / 10) }
	s.worker.view.countExactly(r, 50_000)
	if got := s.worker.view.used(r); got < 15_000 || got > 15_020 {
		t.Errorf("counted %d, want 15,000", got)
	}
}
