package workspace

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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
func TestProblemBounds(t *testing.T) {
	r := newRoom(t, map[string]string{"a.go": "x"})
	uri := func(name string) string { return fileURI(r.root + "/" + name) }
	many := func(n int) (list []tool.Problem) {
		for i := range n {
			list = append(list, tool.Problem{Line: i + 1, Severity: "warning", Message: fmt.Sprint(i)})
		}
		return list
	}
	for _, n := range []int{problemsKept - 1, problemsKept, problemsKept + 1} {
		r.v.SetProblems(uri("a.go"), 0, append(many(n), trouble(7, "last")))
		got := r.v.Problems(uri("a.go"))
		if len(got) != min(n+1, problemsKept) || got[0].Message != "last" {
			t.Errorf("%d: %d, first %v", n, len(got), got[0])
		}
	}
	for _, n := range []int{problemMessage - 1, problemMessage, problemMessage + 1, 1 << 20} {
		r.v.SetProblems(uri("a.go"), 0, []tool.Problem{trouble(1, strings.Repeat("ä", n))})
		got := []rune(r.v.Problems(uri("a.go"))[0].Message)
		if len(got) != min(n, problemMessage) || (got[len(got)-1] == '…') != (n > problemMessage) {
			t.Errorf("%d: %d characters", n, len(got))
		}
	}
	r.v.SetProblems(uri("a.go"), 0, []tool.Problem{trouble(1, "a\nb\t\u202e\x1b[0m\xff")})
	if got := r.v.Problems(uri("a.go"))[0].Message; strings.ContainsAny(got, "\n\t\u202e\x1b") || !strings.HasPrefix(got, "a b") {
		t.Errorf("%q", got)
	}
	for i := range problemDocuments {
		r.v.SetProblems(uri(fmt.Sprintf("d%d.go", i)), 0, many(1))
	}
	if n := len(r.v.problems.byKey); n != problemDocuments || r.v.Problems(uri("a.go")) != nil || r.v.Problems(uri("d0.go")) == nil {
		t.Errorf("%d documents", n)
	}
	for _, bad := range []string{"untitled:1", "", "file:", "git:/x", "file://host/%zz", fileURI(r.root + "/a\x00b")} {
		r.v.SetProblems(bad, 1, many(1))
		if r.v.Problems(bad) != nil {
			t.Errorf("%q is kept", bad)
		}
	}
	for _, n := range []int{problemsTold - 1, problemsTold, problemsTold + 1} {
		text := toldProblems("", many(n), false)
		if lines := strings.Count(text, "\n") - 1; lines != n || strings.HasSuffix(text, "and 1 more") != (n > problemsTold) {
			t.Errorf("%d told:\n%s", n, text)
		}
	}
	for i := range mostTraces + 9 {
		p, _ := r.v.Path(fmt.Sprintf("t%d", i))
		r.v.buffers.wrote(p, "x", "h")
	}
	if n := len(r.v.buffers.left); n != mostTraces {
		t.Errorf("%d traces", n)
	}
}

// Which list is the answer to a change, and how long it is waited for.
func TestProblemWait(t *testing.T) {
	r := newRoom(t, map[string]string{"a.go": "x", "b.go": "x", "c.txt": "x"})
	a, b := fileURI(r.root+"/a.go"), fileURI(r.root+"/b.go")
	path := func(name string) Path {
		p, _ := r.v.Path(name)
		return p
	}
	synctest.Test(t, func(t *testing.T) {
		v := r.v
		if v.watchProblems(path("a.go")) != nil {
			t.Error("waits although nothing was ever sent")
		}
		v.SetProblems(a, 0, nil)
		if v.watchProblems(path("c.txt")) != nil {
			t.Error("waits for a kind that nobody checks")
		}
		if v.watchProblems(path("b.go")) == nil {
			t.Error("does not wait for a kind that is checked")
		}
		v.DidOpen(a, 5, "x")
		// wait answers after a change of a.go; sent happens at the given times.
		wait := func(sent map[time.Duration]func()) (string, time.Duration) {
			w := v.watchProblems(path("a.go"))
			v.buffers.wrote(path("a.go"), "y", "h")
			for at, do := range sent {
				time.AfterFunc(at, do)
			}
			begin := time.Now()
			text := w.news(t.Context())
			return text, time.Since(begin)
		}
		say := func(uri string, version int32, message string) func() {
			return func() { v.SetProblems(uri, version, []tool.Problem{trouble(1, message)}) }
		}
		text, took := wait(map[time.Duration]func(){1 * time.Second: say(a, 5, "old"), 2 * time.Second: say(a, 6, "new"), 1500 * time.Millisecond: say(b, 9, "other")})
		if took != 2*time.Second || !strings.Contains(text, "new") || strings.Contains(text, "old") {
			t.Errorf("%v %q", took, text)
		}
		text, took = wait(map[time.Duration]func(){problemTime - 1: say(a, 0, "in time")})
		if took != problemTime-1 || !strings.Contains(text, "in time") {
			t.Errorf("%v %q", took, text)
		}
		text, took = wait(map[time.Duration]func(){problemTime + 1: say(a, 0, "too late")})
		if took != problemTime || text != "" {
			t.Errorf("%v %q", took, text)
		}
		<-time.After(time.Second)
		// Several files are waited for together.
		several := v.watchProblems(path("a.go"), path("b.go"), path("c.txt"))
		time.AfterFunc(time.Second, say(b, 0, "of b"))
		begin := time.Now()
		if text := several.news(t.Context()); time.Since(begin) != problemTime || !strings.Contains(text, "b.go:1:1 of b") {
			t.Errorf("%v %q", time.Since(begin), text)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		begin = time.Now()
		if text := v.watchProblems(path("a.go")).news(ctx); text != "" || time.Since(begin) != time.Second {
			t.Errorf("stopped: %v %q", time.Since(begin), text)
		}
	})
}
