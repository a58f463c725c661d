package session

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Whatever a model or a provider sends, its line of the log stays under 200 KB,
// and what has to go back to the provider does.
func TestAnswerIsBounded(t *testing.T) {
	calls := func(n int, input string) (out []history.Call) {
		for range n {
			out = append(out, history.Call{CallID: strings.Repeat("i", 80), Tool: strings.Repeat("t", 200), Input: json.RawMessage(input)})
		}
		return out
	}
	long := `{"content":"` + strings.Repeat("x", 15<<10) + `"}`
	opaque := func(n int) *model.Opaque {
		return &model.Opaque{Provider: "p", Fields: map[string]json.RawMessage{"reasoning_content": json.RawMessage(`"` + strings.Repeat("r", n) + `"`)}}
	}
	for name, row := range map[string]struct {
		answer   history.AssistantMessage
		artifact bool
	}{
		"text of n-1":               {history.AssistantMessage{Text: strings.Repeat("x", maxText-1)}, false},
		"text of n":                 {history.AssistantMessage{Text: strings.Repeat("x", maxText)}, false},
		"text of n+1":               {history.AssistantMessage{Text: strings.Repeat("x", maxText+1)}, true},
		"text that costs double":    {history.AssistantMessage{Text: strings.Repeat("\"\n", maxText/2)}, true},
		"text that costs six times": {history.AssistantMessage{Text: strings.Repeat("\x01", maxText)}, true},
		"text, reasoning and calls": {history.AssistantMessage{Text: strings.Repeat("x", maxText), Reasoning: strings.Repeat("\"", 1<<20), Calls: calls(10, long)}, false},
		"a thousand calls":          {history.AssistantMessage{Calls: calls(1_000, long)}, false},
		"calls that are no JSON":    {history.AssistantMessage{Calls: []history.Call{{Raw: strings.Repeat("\x01", 1<<20)}, {Raw: strings.Repeat("\"", 1<<20)}, {Raw: strings.Repeat("x", 1<<20)}}}, false},
		"a provider's state":        {history.AssistantMessage{Text: "hi", Opaque: opaque(1 << 20)}, false},
		"all of it":                 {history.AssistantMessage{Text: strings.Repeat("\x01", maxText), Reasoning: strings.Repeat("\x01", 1<<20), Calls: calls(1_000, long), Opaque: opaque(1 << 20)}, true},
	} {
		s, kept := truncateHouse(t, "")
		a := row.answer
		a.Calls = append([]history.Call{}, row.answer.Calls...)
		s.worker.bound(&a)
		line, err := history.Marshal(a)
		if err != nil || len(line) > 195<<10 {
			t.Errorf("%s: a line of %d bytes: %v", name, len(line), err)
		}
		if (a.Artifact != nil) != row.artifact || row.artifact && kept.texts[0].String() != row.answer.Text {
			t.Errorf("%s: artifact %v", name, a.Artifact)
		}
		m := (&history.Transcript{Shown: history.Shown{Items: []history.Item{{Answer: &a}}}}).Messages(s.intake.blobs.get)[0]
		if row.answer.Opaque != nil && !reflect.DeepEqual(m.Opaque, row.answer.Opaque) {
			t.Errorf("%s: the provider's state does not come back", name)
		}
		for i, c := range m.Calls {
			if raw := row.answer.Calls[i].Raw; raw == "" && c.Arguments != string(row.answer.Calls[i].Input) {
				t.Fatalf("%s: call %d comes back as %d bytes", name, i, len(c.Arguments))
			}
		}
		if len(m.Calls) != min(len(row.answer.Calls), mostCalls) {
			t.Errorf("%s: %d calls", name, len(m.Calls))
		}
	}
}

func TestEncodedSize(t *testing.T) {
	for _, text := range []string{"", "plain", "é日本🎉", "\"\\/\n\r\t\b\f", "\x00\x01\x1f\x7f", "\u2027\u2028\u2029\u202a", "<&>", strings.Repeat("\x01\"é", 1_000)} {
		raw, err := history.Marshal(text)
		if err != nil || encodedSize(text) != len(raw)-2 {
			t.Errorf("%q: %d, want %d", text, encodedSize(text), len(raw)-2)
		}
		for _, most := range []int{0, 1, 3, 4, 10, 100, 1_000} {
			if cut := cutEncoded(text, most); encodedSize(cut) > max(most, len("…")) || len(cut) > len(text)+3 {
				t.Errorf("%q cut to %d: %d", text, most, encodedSize(cut))
			}
		}
	}
}
