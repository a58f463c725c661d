package surface

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// asked is the surfaces of a client that shows code actions and lenses, with one open
// question.
func asked(t testing.TB, a history.Approval) (*Surfaces, *PendingApproval) {
	t.Helper()
	s := shownBy(t, nil, Facts{Literals: true, CodeActions: true, CodeLens: true})
	if a.ApprovalID == "" {
		a.ApprovalID = "0001-a1"
	}
	a.Decisions = []string{"once", "session", "always", "reject"}
	return s, s.Pending.Expect(a)
}

// shownBy is the surfaces of a client with these facts and without sessions.
func shownBy(t testing.TB, c Client, facts Facts) *Surfaces {
	s := New(t.Context(), c)
	s.Begin(facts, noSessions{}, nil, nil, nil)
	return s
}

// noSessions has no session.
type noSessions struct{ Sessions }

func (noSessions) Live() []*session.Session { return nil }

func bashQuestion(t testing.TB, input map[string]any) history.Approval {
	t.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	return history.Approval{Tool: "bash", Title: said.Plain("bash"), Input: raw, Risk: "execute", Preview: &history.ApprovalPreview{Kind: "command", Text: "$ x\n"}}
}

// started is a question about a command that starts a file.
func started(a history.Approval, changed bool) history.Approval {
	a.Preview.Starts = []history.StartedFile{{Path: "b.sh", Changed: changed}}
	return a
}

// A line offers a yes only where all that a yes allows is in it.
func TestYesOnlyForWhatIsShown(t *testing.T) {
	n := func(n int) string { return strings.Repeat("x", n) }
	command := func(text string) history.Approval { return bashQuestion(t, map[string]any{"command": text}) }
	with := func(member, value string) history.Approval {
		return bashQuestion(t, map[string]any{"command": "make", member: value})
	}
	for _, row := range []struct {
		name        string
		question    history.Approval
		short, long bool
	}{
		{"119", command(n(119)), true, true},
		{"a script that starts a file", started(command("./b.sh"), false), true, true},
		{"a script that has changed since somebody said yes", started(command("./b.sh"), true), false, false},
		{"120", command(n(120)), true, true},
		{"121", command(n(121)), false, true},
		{"399", command(n(399)), false, true},
		{"400", command(n(400)), false, true},
		{"401", command(n(401)), false, false},
		{"120 with a character that shows as its code", command(n(119) + "\u200b"), false, true},
		{"what a client may draw as an icon", command("echo $(check)"), false, true},
		{"what a client may make a link of", command("echo '[Reject](command:x)'"), false, true},
		{"two lines", command("a\nb"), false, true},
		{"a line break at the end", command("a\n"), true, true},
		{"another directory", with("workdir", "sub"), false, false},
		{"no sandbox", with("needs", "unconfined"), false, false},
		{"a description", with("description", "builds"), true, true},
		{"a time limit", bashQuestion(t, map[string]any{"command": "make", "timeoutMs": 5}), true, true},
		{"input that cannot be read", history.Approval{Tool: "bash", Title: said.Plain("bash: x"), Input: []byte(`"_blob"`)}, false, false},
		{"a read", history.Approval{Tool: "read", Title: said.Plain("read .env"), Input: []byte(`{"path":".env"}`), Targets: []string{"vault:/.env"}}, true, true},
		{"an edit", history.Approval{Tool: "edit", Title: said.Plain("edit a"), Preview: &history.ApprovalPreview{Kind: "diff"}}, false, false},
		{"a text that the title has", history.Approval{Title: said.Plain("do x"), Preview: &history.ApprovalPreview{Kind: "text", Text: "x\n"}}, true, true},
		{"a text that the title has not", history.Approval{Title: said.Plain("do x"), Preview: &history.ApprovalPreview{Kind: "text", Text: "y\n"}}, false, false},
		{"another program's tool", history.Approval{Tool: "mcp__db__drop", Title: said.Plain("db: drop"), Input: []byte(`{"table":"users"}`), Targets: []string{"mcp:db/drop"}}, false, false},
		{"another program's tool without arguments", history.Approval{Tool: "mcp__db__list", Title: said.Plain("db: list"), Input: []byte(`{}`), Targets: []string{"mcp:db/list"}}, true, true},
		{"an external tool", history.Approval{Tool: "deploy", Title: said.Plain("deploy"), Input: []byte(`{"to":"live"}`), Targets: []string{"tool:deploy"}}, false, false},
		{"a loop", history.Approval{Tool: "bash", Title: said.Plain("The run may be going in circles."), Risk: "loop", Input: []byte(`{"command":"make","workdir":"sub"}`)}, true, true},
	} {
		s, q := asked(t, row.question)
		if short, long := q.whole(shortTitle), q.whole(longTitle); short != row.short || long != row.long {
			t.Errorf("%s: short %v, long %v; want %v, %v", row.name, short, long, row.short, row.long)
		}
		if titles, _ := s.Pending.items(q); (len(titles) > 2) != row.short {
			t.Errorf("%s: the message request offers %q", row.name, titles)
		}
		if lenses := s.Menu.lensChoices(q); (len(lenses) > 2) != row.short || lenses[0].command != "reviewDiff" || lenses[1].command != "reject" {
			t.Errorf("%s: the lenses are %v", row.name, lenses)
		}
		if actions := s.Menu.choices(q); (len(actions) > 2) != row.long {
			t.Errorf("%s: the code actions are %v", row.name, actions)
		}
	}
}

// A rule is offered where it is whole; the review shows all of them.
func TestRulesAreOfferedWhole(t *testing.T) {
	for _, row := range []struct {
		length      int
		short, long bool
	}{{119, true, true}, {120, true, true}, {121, false, true}, {400, false, true}, {401, false, false}} {
		a := bashQuestion(t, map[string]any{"command": "x"})
		a.Always = []control.Offer{{ID: "a1", Pattern: strings.Repeat("x", row.length)}}
		s, q := asked(t, a)
		rules := func(limit int) (n int) {
			for _, y := range s.Pending.yeses(q, limit) {
				if y.offer != nil {
					n++
				}
			}
			return n
		}
		if short, long := rules(shortTitle) == 1, rules(longTitle) == 1; short != row.short || long != row.long {
			t.Errorf("%d: short %v, long %v", row.length, short, long)
		}
		q.rulesShown = true
		if rules(shortTitle) != 1 {
			t.Errorf("%d: not offered after the review", row.length)
		}
	}
}

// openText is what an editor shows of every document.
type openText struct {
	text string
}

func (s openText) Buffer(string) (string, int32, bool) { return s.text, 1, true }

// Editors ask for code actions all the time; with many long questions open, and in
// a long document, an answer still takes under 5 ms.
func BenchmarkCodeActions(b *testing.B) {
	s, _ := asked(b, bashQuestion(b, map[string]any{"command": "x"}))
	for i := range 20 {
		a := bashQuestion(b, map[string]any{"command": strings.Repeat(fmt.Sprintf("echo %d; ", i), 100)})
		a.ApprovalID, a.Decisions = fmt.Sprintf("0001-b%d", i), []string{"once", "reject"}
		s.Pending.Expect(a)
	}
	s.buffers = openText{text: strings.Repeat("a line of a long document\n", 20_000) + "// @agent do it"}
	end := protocol.Position{Line: 20_000}
	p := protocol.CodeActionParams{TextDocument: protocol.TextDocumentIdentifier{URI: "file:///w/a.txt"}, Range: protocol.Range{Start: end, End: end}}
	for name, row := range map[string]struct {
		kind    protocol.CodeActionTriggerKind
		offered bool
	}{
		"of itself": {protocol.CodeActionTriggerKindAutomatic, false},
		"asked for": {0, true},
	} {
		b.Run(name, func(b *testing.B) {
			p.Context.TriggerKind = row.kind
			best := time.Hour
			for range 20 {
				began := time.Now()
				actions := s.Menu.CodeActions(p)
				best = min(best, time.Since(began))
				if (len(actions) > 0) != row.offered {
					b.Fatalf("%d actions", len(actions))
				}
			}
			b.ReportMetric(float64(best.Microseconds())/1000, "ms")
			if best > 5*time.Millisecond {
				b.Errorf("%v", best)
			}
		})
	}
}
