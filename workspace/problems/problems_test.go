package problems

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

func trouble(line int, message string) tool.Problem {
	return tool.Problem{Line: line, Column: 1, Severity: "error", Message: message}
}

func TestNewErrors(t *testing.T) {
	warning := trouble(1, "w")
	warning.Severity = "warning"
	for _, row := range []struct {
		was, now []tool.Problem
		want     string
	}{
		{nil, nil, ""},
		{nil, []tool.Problem{trouble(1, "a"), warning}, "1 a"},
		{[]tool.Problem{trouble(1, "a")}, []tool.Problem{trouble(1, "a")}, ""},
		{[]tool.Problem{trouble(1, "a")}, []tool.Problem{trouble(9, "a")}, ""}, // moved
		{[]tool.Problem{trouble(1, "a")}, []tool.Problem{trouble(1, "b")}, "1 b"},
		{[]tool.Problem{trouble(5, "a")}, []tool.Problem{trouble(1, "a"), trouble(5, "a")}, "1 a"}, // the one that stayed is the old one
		{[]tool.Problem{trouble(5, "a"), trouble(6, "a")}, []tool.Problem{trouble(7, "a"), trouble(8, "a"), trouble(9, "a")}, "9 a"},
		{[]tool.Problem{warning}, []tool.Problem{trouble(1, "w")}, "1 w"}, // it was only a warning
		{[]tool.Problem{trouble(1, "a")}, nil, ""},
	} {
		var got []string
		for _, p := range newErrors(row.was, row.now) {
			got = append(got, fmt.Sprintf("%d %s", p.Line, p.Message))
		}
		if s := strings.Join(got, ", "); s != row.want {
			t.Errorf("%v → %v: %q, want %q", row.was, row.now, s, row.want)
		}
	}
}

// What a client sends is kept within bounds.
func TestBounds(t *testing.T) {
	var table Table
	many := func(n int) (list []tool.Problem) {
		for i := range n {
			list = append(list, tool.Problem{Line: i + 1, Severity: "warning", Message: fmt.Sprint(i)})
		}
		return list
	}
	for _, n := range []int{mostKept - 1, mostKept, mostKept + 1} {
		table.Set("a", ".go", 0, append(many(n), trouble(7, "last")))
		got := table.Of("a")
		if len(got) != min(n+1, mostKept) || got[0].Message != "last" {
			t.Errorf("%d: %d, first %v", n, len(got), got[0])
		}
	}
	for _, n := range []int{messageChars - 1, messageChars, messageChars + 1, 1 << 20} {
		table.Set("a", ".go", 0, []tool.Problem{trouble(1, strings.Repeat("ä", n))})
		got := []rune(table.Of("a")[0].Message)
		if len(got) != min(n, messageChars) || (got[len(got)-1] == '…') != (n > messageChars) {
			t.Errorf("%d: %d characters", n, len(got))
		}
	}
	table.Set("a", ".go", 0, []tool.Problem{trouble(1, "a\nb\t\u202e\x1b[0m\xff")})
	if got := table.Of("a")[0].Message; strings.ContainsAny(got, "\n\t\u202e\x1b") || !strings.HasPrefix(got, "a b") {
		t.Errorf("%q", got)
	}
	for i := range mostDocuments {
		table.Set(fmt.Sprint("d", i), ".go", 0, many(1))
	}
	if n := len(table.byKey); n != mostDocuments || table.Of("a") != nil || table.Of("d0") == nil {
		t.Errorf("%d documents", n)
	}
	for _, n := range []int{mostTold - 1, mostTold, mostTold + 1} {
		text := told("", many(n), false)
		if lines := strings.Count(text, "\n") - 1; lines != n || strings.HasSuffix(text, "and 1 more") != (n > mostTold) {
			t.Errorf("%d told:\n%s", n, text)
		}
	}
}
