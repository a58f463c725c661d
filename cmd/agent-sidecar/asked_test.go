package main

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// What is typed is a number, several where the question takes them, or words. An empty line
// and a number that is not offered are no answer.
func TestTerminalAnswersQuestions(t *testing.T) {
	which := history.Question{Question: "Which?", Options: []history.QuestionOption{{Label: "SQLite", Description: "one file"}, {Label: "Postgres"}}}
	several := which
	several.Multiple = true
	free := history.Question{Question: "What is it called?"}
	for _, row := range []struct {
		name      string
		questions []history.Question
		typed     string
		want      string
	}{
		{"a number", []history.Question{which}, "2\n", "[Postgres] "},
		{"an empty line, a number too large", []history.Question{which}, "\n3\n0\n1\n", "[SQLite] "},
		{"two numbers where one is taken", []history.Question{which}, "1 2\n1\n", "[SQLite] "},
		{"two numbers", []history.Question{several}, "1, 2\n", "[SQLite Postgres] "},
		{"the same twice", []history.Question{several}, "1 1\n2\n", "[Postgres] "},
		{"words", []history.Question{which}, "neither, use files\n", "[] neither, use files"},
		{"a number as words", []history.Question{free}, "42\n", "[] 42"},
		{"one of two", []history.Question{which, free}, "-\nBob\n", "[] |[] Bob"},
		{"none", []history.Question{which, free}, "-\n-\n", ""},
		{"the end of the input", []history.Question{which, free}, "1\n", "nobody"},
	} {
		var out bytes.Buffer
		term := &terminal{out: screen{&out}, in: bufio.NewReader(strings.NewReader(row.typed))}
		asked := history.QuestionAsked{QuestionID: "0001-u1.1", Questions: row.questions}
		reply := term.answers(asked)
		var said []string
		for _, a := range reply.Answers {
			said = append(said, fmt.Sprint(a.Choices)+" "+a.Text)
		}
		got := strings.Join(said, "|")
		if reply.Nobody {
			got = "nobody"
		}
		if got != row.want {
			t.Errorf("%s: %q, want %q\n%s", row.name, got, row.want, out.String())
		}
		if len(reply.Answers) > 0 && asked.Check(reply.Answers) != nil {
			t.Errorf("%s: %v", row.name, asked.Check(reply.Answers))
		}
	}
}

// A plan is accepted in the mode of the session or in mode ask, or sent back with words.
func TestTerminalAcceptsPlans(t *testing.T) {
	for typed, want := range map[string]string{"y\n": "once  ", "k\n": "once ask ", "n use b\n": "reject  use b", "a\ns\nyes\n": "once  "} {
		var out bytes.Buffer
		term := &terminal{out: screen{&out}, in: bufio.NewReader(strings.NewReader(typed))}
		a := history.Approval{Title: said.Plain("hand over the plan"), Domain: tool.DomainPlan, Decisions: []string{"once", "reject"}, Always: []control.Offer{}, Preview: &history.ApprovalPreview{Kind: "plan", Text: "1. Write a.txt"}}
		answer := term.question(a)
		if got := answer.Decision + " " + string(answer.Mode) + " " + answer.Feedback; got != want || !strings.Contains(out.String(), "1. Write a.txt") {
			t.Errorf("%q: %q, want %q\n%s", typed, got, want, out.String())
		}
	}
}
