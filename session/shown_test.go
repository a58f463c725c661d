package session

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// happens is a random thing that happens next to a conversation.
func happens(dice *rand.Rand, ids *int, t *history.Transcript) []history.Body {
	words := strings.Repeat("word ", dice.IntN(300))
	switch dice.IntN(12) {
	case 0:
		return []history.Body{prompt(strings.Repeat(words, 1+dice.IntN(10)))}
	case 1:
		return []history.Body{steered(words)}
	case 2, 3:
		return []history.Body{reminder("m", words)}
	case 4:
		return []history.Body{sized(words, int64(dice.IntN(3000)), 10, "m")}
	case 5:
		if n := len(t.Items); n > 0 {
			return []history.Body{history.ContextCompacted{OK: true, Summary: words + "!", KeepFrom: t.Items[n-1-dice.IntN(min(n, 4))].Seq}}
		}
	case 6:
		one := fmt.Sprint("c", dice.IntN(*ids+1))
		if dice.IntN(2) == 0 {
			return []history.Body{history.ContextPruned{CallIDs: []string{one}, Texts: map[string]string{one: words}}}
		}
		return []history.Body{history.ContextPruned{CallIDs: []string{one}}}
	}
	answer := calls()
	var out []history.Body
	for range 1 + dice.IntN(3) {
		*ids++
		c := history.Call{CallID: fmt.Sprint("c", *ids), Tool: "read", Input: json.RawMessage(`{"path":"a"}`)}
		if dice.IntN(3) == 0 {
			c.ProviderID = "p" + c.CallID
		}
		answer.Calls = append(answer.Calls, c)
		out = append(out, history.ToolReturned{CallID: c.CallID, Tool: "read", Status: "completed", Text: fmt.Sprint(*ids, "\n", words)})
	}
	return append([]history.Body{answer}, out...)
}

// A conversation that has grown is the one that is made anew, whatever has happened to it
// on the way, and so are the bytes that are sent of it.
func TestAGrownConversationIsTheOneMadeAnew(t *testing.T) {
	for seed := range uint64(30) {
		dice, ids := rand.New(rand.NewPCG(seed, 3)), 0
		h := newHouse(t)
		h.model.info.Window = 8000 // some messages are longer than half of it
		h.around.exact = func(_, text string) int64 { return int64(len(text) / 4) }
		s := h.session(t)
		r := &run{id: "r", ctx: t.Context(), model: h.model, system: "You are.", fixed: history.Size{Bytes: 3000}, progress: progress{by: "m"}}
		v := s.worker.view
		for step := range 80 {
			for _, b := range happens(dice, &ids, stateOf(s)) {
				recordOrCancel(s.journal, r, b)
			}
			switch dice.IntN(8) {
			case 0:
				v.shorten(r, true)
			case 1:
				r.lastOnly = !r.lastOnly
			case 2:
				h.around.ratio = 0.5 + dice.Float64()
			case 3:
				h.model.name = []string{"m", "gpt-5"}[dice.IntN(2)]
			case 4:
				v.sawUpTo(v.shownSize(r))
			case 5:
				r.system += "!"
			case 6:
				v.countExactly(r, 1)
			}
			used, grown := v.used(r), v.request(r)
			kept := model.Body(grown, h.model.Info())
			was := v.latest
			v.latest = nil
			anew := v.request(r)
			if !reflect.DeepEqual(grown.Messages, anew.Messages) || !reflect.DeepEqual(was.Items, v.latest.Items) || was.total != v.latest.total || used != v.used(r) {
				t.Fatalf("seed %d, step %d: %d tokens, %+v, anew %d, %+v\n%.3000s\nanew\n%.3000s", seed, step, used, was.total, v.used(r), v.latest.total, fmt.Sprint(grown.Messages), fmt.Sprint(anew.Messages))
			}
			if raw := stateOf(s).Total(); was.whole != raw {
				t.Fatalf("seed %d, step %d: the transcript has %+v, and %+v were counted", seed, step, raw, was.whole)
			}
			if anew.Kept = nil; string(kept) != string(model.Body(anew, h.model.Info())) {
				t.Fatalf("seed %d, step %d: other bytes are sent", seed, step)
			}
			v.latest = was
		}
	}
}

// A step of a run looks at what is new in the conversation. What is older can be taken away
// under it, and the next requests are the same: nothing goes through all turns again.
func TestAStepLooksOnlyAtWhatIsNew(t *testing.T) {
	const turns, taken = 56, 50
	for name, row := range map[string]struct {
		reports bool
		window  int64
		micro   int // tokens from which results are shown short
		short   bool
		counted bool
	}{
		"usage is reported":            {true, 100_000, 50_000, false, false},
		"all is estimated":             {false, 100_000, 50_000, false, false},
		"all is counted":               {false, 14_100, 50_000, false, true},
		"results are shown short":      {true, 12_000, 3_000, true, true},
		"the window is not known":      {true, 0, 50_000, false, false},
		"nor is what the requests had": {false, 0, 50_000, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			var sent [2]string
			for i := range sent {
				h := newHouse(t)
				h.model.info.Window = row.window
				for n := range turns {
					d := model.Done{Model: "m", Calls: []model.Call{{ID: fmt.Sprint("c", n), Name: "look", Arguments: fmt.Sprintf(`{"at":%d}`, n)}}}
					if row.reports {
						d.Usage = &model.Usage{Input: int64(1000 + 100*n), Output: 10}
					}
					h.model.list = append(h.model.list, d)
				}
				h.model.list = append(h.model.list, model.Done{Model: "m", Text: "Done."})
				var s *Session
				h.around.tools = func(ToolOwner, string) []tool.Tool {
					return []tool.Tool{tool.Define(tool.Spec{Name: "look", Effect: tool.Read}, func(in struct {
						At int `json:"at"`
					}) (*tool.Plan, error) {
						return &tool.Plan{Tool: "look", Effect: tool.Read, Title: "look", Targets: []tool.Target{{Domain: tool.DomainRead, Object: "vault:/a"}}, Run: func(context.Context, tool.Grant, tool.Sink) (tool.Result, error) {
							if i == 1 && in.At == taken {
								takeAway(s, len(stateOf(s).Items)-1)
							}
							return tool.Result{Text: fmt.Sprint(in.At, "\n", strings.Repeat(" a word", 30))}, nil
						}}, nil
					})}
				}
				configure(t, h, fmt.Sprintf(`{"agents": {"runtime": {"doomLoop": {"maxToolCalls": 0}, "compaction": {"auto": false, "micro": {"minTokens": %d}}}}}`, row.micro))
				s = h.session(t)
				ended, err := s.Run(t.Context(), Prompt{Request: history.Request{Prompt: prompt("Look.").Prompt}})
				if err != nil || ended.StopReason != history.StopEndTurn {
					t.Fatal(ended, err)
				}
				v := s.worker.view
				if short, counted := v.micro.UpTo() > 0, len(v.weights) > 0; short != row.short || counted != row.counted {
					t.Errorf("short %v, counted %v", short, counted)
				}
				usage, err := json.Marshal(ended.Usage)
				if err != nil {
					t.Fatal(err)
				}
				sent[i] = fmt.Sprintf("%d %d %s %s", v.micro.UpTo(), len(v.weights), usage, model.Body(h.model.asked, h.model.Info()))
			}
			if sent[0] != sent[1] {
				t.Errorf("what is older was looked at:\n%.150s\n%.150s", sent[0], sent[1])
			}
		})
	}
}

// A prompt looks at what was said since the one before it, also to find out of what the
// model has been reminded.
func TestAPromptLooksOnlyAtWhatIsNew(t *testing.T) {
	var sent [2]string
	for i := range sent {
		h := newHouse(t)
		s := h.session(t)
		s.worker.env.Branch = "another" // and the model is told so, once
		items := 0
		for n := range 6 {
			h.model.list = []model.Done{{Model: "m", Text: "Yes."}}
			if n == 5 && i == 1 {
				takeAway(s, items)
			}
			if n == 4 {
				items = len(stateOf(s).Items)
			}
			if _, err := s.Run(t.Context(), Prompt{Request: history.Request{Prompt: prompt("Is it so?").Prompt}}); err != nil {
				t.Fatal(err)
			}
		}
		sent[i] = string(model.Body(h.model.asked, h.model.Info()))
	}
	if sent[0] != sent[1] || strings.Count(sent[0], "environment has changed") != 1 {
		t.Errorf("what is older was looked at:\n%s\n%s", sent[0], sent[1])
	}
}

// takeAway makes nothing of the first items.
func takeAway(s *Session, n int) {
	for _, items := range [][]history.Item{stateOf(s).Items, s.worker.view.latest.Items} {
		for i := range items[:n] {
			items[i] = history.Item{}
		}
	}
}

// configure gives a house its configuration.
func configure(t *testing.T, h *house, config string) {
	t.Helper()
	dir := filepath.Dir(h.deps.Config.Path())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.deps.Config.Path(), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	h.deps.Config.Reload()
}
