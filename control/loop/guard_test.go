package loop

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
)

var loopArgs = json.RawMessage(`{"a":1,"b":2}`)

// play feeds calls "tool output" to a guard and returns at which call, from 1,
// it asks, at which it adds a note, and the last answer.
func play(g *Guard, calls ...string) (asked, noted int, last Finding) {
	for i, c := range calls {
		name, out, _ := strings.Cut(c, " ")
		if last = g.Before(name, loopArgs); last.Verdict != control.Allow {
			return i + 1, noted, last
		}
		if g.Returned(name, strings.TrimPrefix(out, "!"), strings.HasPrefix(out, "!")) != "" && noted == 0 {
			noted = i + 1
		}
	}
	return 0, noted, last
}

func many(n int, calls ...string) []string {
	var out []string
	for range n {
		out = append(out, calls...)
	}
	return out
}

func TestLoopTable(t *testing.T) {
	changing := func(n int) []string {
		var out []string
		for i := range n {
			out = append(out, fmt.Sprintf("poll %d", i))
		}
		return out
	}
	for name, row := range map[string]struct {
		calls        []string
		asked, noted int
	}{
		"n-1 identical":             {many(3, "read x"), 0, 0},
		"note on the one before":    {many(4, "read x"), 0, 4},
		"asks before the fifth":     {many(5, "read x"), 5, 4},
		"another call between":      {append(many(4, "read x"), append([]string{"ls y"}, many(3, "read x")...)...), 0, 4},
		"polling":                   {changing(30), 0, 0},
		"polling that stands still": {append(changing(3), many(5, "poll z")...), 8, 7},
		"two calls four times":      {many(4, "a x", "b y"), 8, 7},
		"two calls, one short":      {many(4, "a x", "b y")[:7], 0, 7},
		"two calls three times":     {many(3, "a x", "b y"), 0, 0},
		"three calls four times":    {many(4, "a x", "b y", "c z"), 12, 11},
		"four calls four times":     {many(4, "a x", "b y", "c z", "d v"), 16, 15},
		"five calls are no cycle":   {many(6, "a x", "b y", "c z", "d v", "e w"), 0, 0},
		"a cycle that changes":      {[]string{"a 1", "b 1", "a 2", "b 2", "a 3", "b 3", "a 4", "b 4", "a 5", "b 5"}, 0, 0},
		"the same error five times": {[]string{"a !e", "b !e", "c !e", "d !e", "f !e", "g x"}, 6, 4},
		"four errors":               {[]string{"a !e", "b !e", "c !e", "d !e", "f x", "g x"}, 0, 4},
		"different errors":          {[]string{"a !1", "b !2", "c !3", "d !4", "f !5", "g !6"}, 0, 0},
	} {
		asked, noted, _ := play(&Guard{}, row.calls...)
		if asked != row.asked || noted != row.noted {
			t.Errorf("%s: asked at %d, noted at %d; want %d, %d", name, asked, noted, row.asked, row.noted)
		}
	}
}

func TestLoopReasonAndReset(t *testing.T) {
	g := &Guard{}
	_, _, l := play(g, many(5, "bash x")...)
	if l.Stop.String() != "Stopped: bash was called 5 times in a row with the same arguments. Change the instruction or split the task, then send it again." {
		t.Error(l.Stop)
	}
	g.Once()
	if asked, noted, _ := play(g, many(8, "bash x")...); asked != 8 || noted != 7 { // the first is the one that was asked about
		t.Errorf("3 free calls and 4 counted ones, then a question: asked at %d, noted at %d", asked, noted)
	}
	g.Off()
	if asked, noted, _ := play(g, many(20, "bash x")...); asked != 0 || noted != 0 {
		t.Error("asks though it is off")
	}
}

func TestLoopKeyIsOfTheValue(t *testing.T) {
	if keyOf("t", json.RawMessage(`{"a":1,"b":"x"}`)) != keyOf("t", json.RawMessage(` {"b":"\u0078","a":1.0}`)) {
		t.Error("two spellings are two calls")
	}
	big := func(c string) json.RawMessage { return json.RawMessage(`"` + strings.Repeat(c, 1<<20) + `"`) }
	if keyOf("t", big("a")) != keyOf("t", big("b")) || keyOf("t", big("a")[:1000]) == keyOf("t", big("b")[:1000]) {
		t.Error("only arguments over 1 MiB count by name")
	}
	g := New(3)
	if asked, noted, _ := play(g, many(3, "a x")...); asked != 3 || noted != 2 {
		t.Error(asked, noted)
	}
}

// Calls of one answer are judged before any of them has run.
func TestLoopJudgedTogether(t *testing.T) {
	for name, row := range map[string]struct {
		before []string // went one by one, with their outputs
		names  []string // judged together
		asked  int      // at which of them, from 1
	}{
		"four of the same":          {nil, []string{"a", "a", "a", "a"}, 0},
		"the fifth of the same":     {nil, []string{"a", "a", "a", "a", "a"}, 5},
		"behind two":                {[]string{"a x", "a x"}, []string{"a", "a", "a"}, 3},
		"behind a poll that moved":  {[]string{"a 1", "a 2"}, []string{"a", "a", "a"}, 0},
		"and moved, four more":      {[]string{"a 1", "a 2"}, []string{"a", "a", "a", "a"}, 4},
		"a cycle of two":            {nil, []string{"a", "b", "a", "b", "a", "b", "a", "b"}, 8},
		"a cycle, half of it known": {many(2, "a x", "b y"), []string{"a", "b", "a", "b"}, 4},
	} {
		g := &Guard{}
		if asked, _, _ := play(g, row.before...); asked != 0 {
			t.Fatal(name, "asked too early")
		}
		asked := 0
		for i, n := range row.names {
			if g.Before(n, loopArgs).Verdict != control.Allow {
				asked = i + 1
				break
			}
		}
		if asked != row.asked {
			t.Errorf("%s: asked at %d, want %d", name, asked, row.asked)
		}
	}
	// After a yes in the middle of an answer, those before it are forgotten too,
	// and the one that was asked about is the first of the three free ones.
	g := &Guard{}
	for range 4 {
		g.Before("a", loopArgs)
	}
	if g.Before("a", loopArgs).Verdict != control.Ask {
		t.Fatal("not asked")
	}
	g.Once()
	for i := range 3 {
		if g.Before("a", loopArgs).Verdict != control.Allow {
			t.Error("free call", i+1, "is asked about")
		}
	}
	for range 7 {
		if note := g.Returned("a", "x", false); note != "" {
			t.Error("a call that is forgotten is warned about: " + note)
		}
	}
	if asked, noted, _ := play(g, many(5, "a x")...); asked != 5 || noted != 4 {
		t.Errorf("asked at %d, noted at %d", asked, noted)
	}
}

// A person who cancels single calls is no circle, and what nobody counted has no
// result.
func TestLoopForget(t *testing.T) {
	g := &Guard{}
	for range 20 {
		if g.Before("a", nil).Verdict != control.Allow {
			t.Fatal("cancelled calls count")
		}
		g.Forget()
	}
	g.Forget()
	if note := g.Returned("a", "x", true); note != "" {
		t.Error(note)
	}
}

func TestLoopThresholds(t *testing.T) {
	for _, threshold := range []int{2, 3, 5, 9} {
		for n := threshold - 1; n <= threshold+1; n++ {
			want := 0
			if n >= threshold {
				want = threshold
			}
			if asked, noted, _ := play(New(threshold), many(n, "a x")...); asked != want || noted != threshold-1 {
				t.Errorf("threshold %d, %d calls: asked at %d, noted at %d", threshold, n, asked, noted)
			}
		}
	}
	for _, odd := range []int{1, -3} {
		if asked, _, _ := play(New(odd), many(3, "a x")...); asked != 2 {
			t.Errorf("threshold %d: asked at %d", odd, asked)
		}
	}
}

// A model that spells the same call differently makes the same call.
func TestLoopKeySpellings(t *testing.T) {
	same := []string{
		`{"path":"a/é.txt","n":1,"deep":{"x":[1,2],"y":null}}`,
		`{"n":1,"deep":{"y":null,"x":[1,2]},"path":"a/é.txt"}`,
		` { "n" : 1.0 , "path" : "a\/\u00e9.txt" , "deep" : { "x" : [ 1 , 2e0 ] , "y" : null } } `,
		`{"n":10e-1,"path":"\u0061/é.txt","deep":{"x":[1,2],"y":null}}`,
	}
	for _, s := range same[1:] {
		if keyOf("t", json.RawMessage(s)) != keyOf("t", json.RawMessage(same[0])) {
			t.Errorf("%s is another call", s)
		}
	}
	for _, s := range []string{
		`{"path":"a/é.txt","n":1,"deep":{"x":[2,1],"y":null}}`, `{"path":"a/é.txt","n":1,"deep":{"x":[1,2]}}`, `{"path":"a/é.txt","n":"1","deep":{"x":[1,2],"y":null}}`,
		`{"path":"A/é.txt","n":1,"deep":{"x":[1,2],"y":null}}`,
	} {
		if keyOf("t", json.RawMessage(s)) == keyOf("t", json.RawMessage(same[0])) {
			t.Errorf("%s is the same call", s)
		}
	}
	if keyOf("t", nil) == keyOf("u", nil) || keyOf("t", json.RawMessage(`{`)) == keyOf("t", json.RawMessage(`[`)) {
		t.Error("another tool, or what is no JSON, is the same call")
	}
	for size, byName := range map[int]bool{1<<20 - 1: false, 1 << 20: false, 1<<20 + 1: true} {
		args := json.RawMessage(`"` + strings.Repeat("a", size-2) + `"`)
		if got := keyOf("t", args) == "t"; got != byName {
			t.Errorf("%d bytes: by name alone %v", size, got)
		}
	}
}

// The tests take these from the code; here they are written a second time.
func TestLoopNumbers(t *testing.T) {
	if maxHashedArgs != 1<<20 || freeCalls != 3 {
		t.Errorf("arguments are hashed whole up to %d bytes, and %d calls are free", maxHashedArgs, freeCalls)
	}
}
