package control

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// play feeds calls "tool output" to a guard and returns at which call, from 1,
// it asks, at which it adds a note, and the last answer.
func play(g *LoopGuard, calls ...string) (asked, noted int, last Loop) {
	for i, c := range calls {
		name, out, _ := strings.Cut(c, " ")
		args := json.RawMessage(`{"a":1,"b":2}`)
		if last = g.Before(name, args); last.Verdict != Allow {
			return i + 1, noted, last
		}
		if g.Returned(name, args, strings.TrimPrefix(out, "!"), strings.HasPrefix(out, "!")) != "" && noted == 0 {
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
		asked, noted, _ := play(&LoopGuard{}, row.calls...)
		if asked != row.asked || noted != row.noted {
			t.Errorf("%s: asked at %d, noted at %d; want %d, %d", name, asked, noted, row.asked, row.noted)
		}
	}
}

func TestLoopReasonAndReset(t *testing.T) {
	g := &LoopGuard{}
	_, _, l := play(g, many(5, "bash x")...)
	if l.Stop != "Stopped: bash was called 5 times in a row with the same arguments. Change the instruction or split the task, then send it again." {
		t.Error(l.Stop)
	}
	g.Once()
	if asked, _, _ := play(g, many(7, "bash x")...); asked != 0 {
		t.Errorf("asked at %d after a yes", asked)
	}
	if asked, _, _ := play(g, "bash x"); asked != 1 {
		t.Error("3 free calls and 4 counted ones: the 8th asks")
	}
	g.Off()
	if asked, noted, _ := play(g, many(20, "bash x")...); asked != 0 || noted != 0 {
		t.Error("asks though it is off")
	}
}

func TestLoopKeyIsOfTheValue(t *testing.T) {
	if LoopKey("t", json.RawMessage(`{"a":1,"b":"x"}`)) != LoopKey("t", json.RawMessage(` {"b":"\u0078","a":1.0}`)) {
		t.Error("two spellings are two calls")
	}
	big := func(c string) json.RawMessage { return json.RawMessage(`"` + strings.Repeat(c, 1<<20) + `"`) }
	if LoopKey("t", big("a")) != LoopKey("t", big("b")) || LoopKey("t", big("a")[:1000]) == LoopKey("t", big("b")[:1000]) {
		t.Error("only arguments over 1 MiB count by name")
	}
	g := NewLoopGuard(3)
	if asked, noted, _ := play(g, many(3, "a x")...); asked != 3 || noted != 2 {
		t.Error(asked, noted)
	}
}
