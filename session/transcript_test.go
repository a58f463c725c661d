package session

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// story folds bodies in order, run "r" throughout, and keeps their lines.
type story struct {
	t     *testing.T
	live  *history.Transcript
	lines [][]byte
}

func tell(t *testing.T, bodies ...history.Body) *story {
	t.Helper()
	s := &story{t: t, live: history.NewTranscript()}
	s.add(bodies...)
	return s
}

func (s *story) add(bodies ...history.Body) {
	s.t.Helper()
	for _, b := range bodies {
		e := history.Event{Seq: s.live.Seq + 1, Time: time.Date(2026, 1, 1, 0, 0, int(s.live.Seq), 0, time.UTC), Run: "r", Body: b}
		line, err := e.Encode()
		if err != nil {
			s.t.Fatal(err)
		}
		if err := s.live.Apply(e); err != nil {
			s.t.Fatal(err)
		}
		s.lines = append(s.lines, line)
	}
}

// seen is what the model sees, a word a message.
func (s *story) seen() string {
	var out []string
	for _, m := range s.live.Messages(func(string) ([]byte, error) { return nil, nil }) {
		switch {
		case m.Role == "tool":
			out = append(out, "result:"+m.CallID)
		case len(m.Calls) > 0:
			var ids []string
			for _, c := range m.Calls {
				ids = append(ids, c.ID)
			}
			out = append(out, "calls:"+strings.Join(ids, ","))
		case strings.Contains(m.Text, "The user sent the following"):
			out = append(out, "steering")
		default:
			out = append(out, m.Role+":"+strings.TrimSpace(m.Text))
		}
	}
	return strings.Join(out, " ")
}

func (s *story) replayed() *history.Transcript {
	t := history.NewTranscript()
	for _, l := range s.lines {
		e, err := history.Decode(l)
		if err == nil {
			err = t.Apply(e)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	return t
}

func prompt(text string) history.RunStarted {
	return history.RunStarted{Prompt: history.Text(text), Agent: "build", Kind: "prompt"}
}
func says(text string) history.AssistantMessage {
	return history.AssistantMessage{Text: text, Model: "m"}
}
func calls(ids ...string) history.AssistantMessage {
	a := history.AssistantMessage{Model: "m"}
	for _, id := range ids {
		a.Calls = append(a.Calls, history.Call{CallID: id, Tool: "read", Input: []byte(`{}`)})
	}
	return a
}
func result(id string) history.ToolReturned {
	return history.ToolReturned{CallID: id, Tool: "read", Status: "completed", Text: "text of " + id}
}
func steered(text string) history.UserMessage {
	return history.UserMessage{Content: history.Text(text), Steering: true}
}
func ended(reason string) history.RunEnded {
	return history.RunEnded{StopReason: history.StopReason(reason)}
}

func TestReplayIsTheLiveTranscript(t *testing.T) {
	temperature := 0.5
	s := tell(t, history.Opened{Version: 1, Key: "k", Agent: "build", Mode: "agent"},
		prompt("one"), calls("a", "b"), steered("hurry"), result("a"), result("b"), says("ok"), ended("end_turn"),
		history.RunQueued{ItemID: "q", Request: history.Request{Prompt: history.Text("later"), ClientMessageID: "m-1"}},
		prompt("two"), calls("c"), history.Approval{ApprovalID: "a1", CallID: "c"},
		history.ApprovalResolved{ApprovalID: "a1", CallID: "c", Decision: "session"},
		history.SubagentStarted{Path: "explore#1", CallID: "c"}, history.SubagentEnded{Path: "explore#1", CallID: "c", Usage: history.Usage{InputTokens: 5}},
		result("c"), history.ContextCompacted{OK: true, Summary: "sum", KeepFrom: 11}, history.PlanUpdated{Items: []history.PlanItem{{ID: "1", Text: "x", Status: "pending"}}},
		history.Changed{Params: &model.Params{Temperature: &temperature}}, says("done"), ended("end_turn"))
	if got := s.replayed(); !reflect.DeepEqual(got, s.live) {
		t.Errorf("replayed\n%+v\nlive\n%+v", got, s.live)
	}
}

func TestWhatTheModelSees(t *testing.T) {
	for name, row := range map[string]struct {
		bodies []history.Body
		want   string
	}{
		"steering before the answer": {[]history.Body{prompt("p"), steered("s"), says("a")}, "user:p assistant:a steering"},
		"steering during a batch":    {[]history.Body{prompt("p"), calls("a", "b"), result("a"), steered("s"), result("b")}, "user:p calls:a,b result:a result:b steering"},
		"steering after an answer":   {[]history.Body{prompt("p"), says("a"), steered("s")}, "user:p assistant:a steering"},
		"steering and the run dies":  {[]history.Body{prompt("p"), calls("a"), steered("s"), result("a"), ended("error")}, "user:p calls:a result:a steering"},
		"held until the run's end":   {[]history.Body{prompt("p"), steered("s"), ended("error"), prompt("q")}, "user:p steering user:q"},
		"ignored":                    {[]history.Body{prompt("p"), history.UserMessage{Content: history.Text("x"), Ignored: true}}, "user:p"},
		"a compaction is no turn":    {[]history.Body{prompt("p"), says("a"), ended("end_turn"), history.RunStarted{Kind: "compaction", Prompt: history.Text("focus")}}, "user:p assistant:a"},
		"cut between turns":          {[]history.Body{prompt("p"), says("a"), ended("end_turn"), prompt("q"), history.ContextCompacted{OK: true, Summary: "S", KeepFrom: 4}}, "system:S user:q"},
		"cut inside a turn":          {[]history.Body{prompt("p"), calls("a"), result("a"), calls("b"), result("b"), history.ContextCompacted{OK: true, Summary: "S", KeepFrom: 4}}, "system:S user:p calls:b result:b"},
		"cut inside it twice": {[]history.Body{prompt("p"), calls("a"), result("a"), calls("b"), result("b"), history.ContextCompacted{OK: true, Summary: "S", KeepFrom: 4},
			calls("c"), result("c"), history.ContextCompacted{OK: true, Summary: "T", KeepFrom: 7}}, "system:T user:p calls:c result:c"},
		"a reminder is not the prompt": {[]history.Body{prompt("p"), history.UserMessage{Content: history.Text("reminder"), Synthetic: true}, calls("a"), result("a"), calls("b"), result("b"),
			history.ContextCompacted{OK: true, Summary: "S", KeepFrom: 5}}, "system:S user:p calls:b result:b"},
		"cut at a reminder": {[]history.Body{prompt("p"), calls("a"), result("a"), history.UserMessage{Content: history.Text("reminder"), Synthetic: true}, calls("b"), result("b"),
			history.ContextCompacted{OK: true, Summary: "S", KeepFrom: 4}}, "system:S user:p\n\nreminder calls:b result:b"},
		"a failed summary changes nothing": {[]history.Body{prompt("p"), says("a"), history.ContextCompacted{Summary: "", KeepFrom: 9}}, "user:p assistant:a"},
	} {
		s := tell(t, row.bodies...)
		if got := s.seen(); got != row.want {
			t.Errorf("%s: %s\nwant %s", name, got, row.want)
		}
		if !reflect.DeepEqual(s.replayed(), s.live) {
			t.Errorf("%s: replay differs", name)
		}
	}
}

// A cut that the log names replaces exactly what was meant, and no call is
