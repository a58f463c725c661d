package session

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// However long the pieces are in which an answer comes, no delta is longer than a
// client takes, none ends within a character, and together they are all of it.
func TestDeltasAreBounded(t *testing.T) {
	for _, text := range []string{"", "short", strings.Repeat("x", maxPiece), strings.Repeat("x", maxPiece+1), "a" + strings.Repeat("é", maxPiece), "ab" + strings.Repeat("😀", maxPiece), strings.Repeat("日本", 500_000)} {
		h := newHouse(t)
		s := h.session(t)
		shown := s.worker.newAnswerShown(&run{id: "r"})
		shown.showText(shown.text.next(text))
		shown.showReasoning(shown.reasoning.next(text))
		shown.showInput(0, "c1", "write", text)
		shown.rest()
		got := map[string]string{}
		for _, e := range h.ears.shown {
			var piece string
			switch d := e.Data.(type) {
			case Delta:
				piece = d.Text
			case InputDelta:
				piece = d.Text
			default:
				continue
			}
			if len(piece) > maxPiece || !utf8.ValidString(piece) {
				t.Errorf("%s of %d bytes, valid %v", e.Type, len(piece), utf8.ValidString(piece))
			}
			got[e.Type] += piece
		}
		for _, kind := range []string{"message.delta", "reasoning.delta", "tool.input"} {
			if got[kind] != text {
				t.Errorf("%s: %d of %d bytes", kind, len(got[kind]), len(text))
			}
		}
	}
}

// Calls beyond those that one answer may have are not run: the person and the model
// are told.
func TestCallsBeyondTheMost(t *testing.T) {
	for _, more := range []int{0, 3} {
		var calls []model.Call
		for i := range mostCalls + more {
			calls = append(calls, model.Call{ID: fmt.Sprint("c", i), Name: fmt.Sprint("nothing", i), Arguments: "{}"})
		}
		h := newHouse(t, model.Done{Calls: calls, Model: "m"}, model.Done{Text: "ok", Model: "m"})
		s := h.session(t)
		s.root.said.loopsAllowed.Store(true) // all fail alike
		most := int(1000)
		if _, err := s.Run(context.Background(), Prompt{Request: history.Request{Prompt: history.Text("go"), Limits: &history.Limits{MaxToolCalls: &most}}}); err != nil {
			t.Fatal(err)
		}
		told, noticed, results := 0, 0, 0
		for _, e := range h.ears.events {
			if r, ok := e.Body.(history.ToolReturned); ok {
				results++
				if strings.Contains(r.Text, "3 more calls") {
					told = results
				}
			}
		}
		for _, e := range h.ears.shown {
			if n, ok := e.Data.(Notice); ok && n.Kind == "calls_dropped" {
				noticed++
			}
		}
		if results != mostCalls || told != map[int]int{0: 0, 3: mostCalls}[more] || noticed != min(more, 1) {
			t.Errorf("%d more: %d results, told with %d, %d notices", more, results, told, noticed)
		}
	}
}
