package main

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// In the terminal too nothing is allowed that was not shown: a script whose 31st
// line does the harm is viewed first, and always shows the whole rule.
func TestTerminalShowsBeforeItAllows(t *testing.T) {
	rows := func(n int) string { return strings.Repeat("echo\n", n-1) + "harm\n" }
	for _, row := range []struct {
		name    string
		preview history.ApprovalPreview
		typed   string
		want    string
		shown   bool // the harm
	}{
		{"29 lines", history.ApprovalPreview{Text: rows(29)}, "y\n", "once", true},
		{"30 lines", history.ApprovalPreview{Text: rows(30)}, "y\n", "once", true},
		{"31 lines", history.ApprovalPreview{Text: rows(31)}, "y\nyes\na\nn\n", "reject", false},
		{"31 lines, viewed", history.ApprovalPreview{Text: rows(31)}, "y\nv\ny\n", "once", true},
		{"160 characters", history.ApprovalPreview{Text: strings.Repeat(" ", 156) + "harm"}, "y\n", "once", true},
		{"161 characters", history.ApprovalPreview{Text: strings.Repeat(" ", 157) + "harm"}, "y\nn\n", "reject", false},
		{"cut in its event", history.ApprovalPreview{Text: "echo\n", Whole: rows(31)}, "y\nview\na\n", "always", true},
	} {
		var out bytes.Buffer
		term := &terminal{out: &out, in: bufio.NewReader(strings.NewReader(row.typed))}
		a := history.Approval{Title: "bash: x", Preview: &row.preview, Always: []control.Offer{{ID: "a1", Label: "Always: " + strings.Repeat("x", 300)}}}
		answer := term.question(a)
		if answer.Decision != row.want || strings.Contains(out.String(), "harm") != row.shown {
			t.Errorf("%s: %s, shown:\n%s", row.name, answer.Decision, out.String())
		}
		if row.want != "reject" && !strings.Contains(out.String(), strings.Repeat("x", 300)) {
			t.Errorf("%s: the rule is cut", row.name)
		}
	}
}

// The terminal offers what the question takes: session where it does, and for a
// limit an always that stores nothing. A word that is not offered is no answer.
func TestTerminalOffersWhatIsTaken(t *testing.T) {
	for _, row := range []struct {
		name      string
		decisions []string
		typed     string
		want      string
	}{
		{"session", []string{"once", "session", "reject"}, "s\n", "session"},
		{"no session", []string{"once", "reject"}, "s\nsession\nn\n", "reject"},
		{"always of a limit", []string{"once", "always", "reject"}, "a\n", "always"},
		{"no always", []string{"once", "session", "reject"}, "a\nalways\ny\n", "once"},
	} {
		var out bytes.Buffer
		term := &terminal{out: &out, in: bufio.NewReader(strings.NewReader(row.typed))}
		answer := term.question(history.Approval{Title: "x", Decisions: row.decisions})
		if answer.Decision != row.want {
			t.Errorf("%s: %s\n%s", row.name, answer.Decision, out.String())
		}
		if got := strings.Contains(out.String(), "[s]ession"); got != (row.decisions[1] == "session") {
			t.Errorf("%s: session is offered: %v", row.name, got)
		}
	}
}
