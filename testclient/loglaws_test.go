package testclient_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/testclient"
)

// playLog plays a server that writes this log, and nothing else.
func playLog(t *testing.T, log, more string) *testclient.Result {
	t.Helper()
	return play(t, "log", begin+fmt.Sprintf("--> emit #1 {\"log\": %s%s}\n<-- #1 result 1\n", log, more), false)
}

// only is true when there is a problem that says law, and none of another kind.
func only(t *testing.T, r *testclient.Result, kind, law string) {
	t.Helper()
	said := false
	for _, p := range r.Problems {
		said = said || law != "" && strings.Contains(p, law)
		if !strings.HasPrefix(p, kind) {
			t.Errorf("another kind of problem: %s", p)
		}
	}
	if law != "" && !said || law == "" && len(r.Problems) > 0 {
		t.Errorf("want %q, got:\n%s", law, strings.Join(r.Problems, "\n"))
	}
}

const (
	opened  = `session.opened {"version": 1}`
	started = `run=r1 run.started {}`
	ended   = `run=r1 run.ended {"stopReason": "end_turn"}`
	calls2  = `run=r1 message.assistant {"calls": [{"callId": "a"}, {"callId": "b"}]}`
	call1   = `run=r1 message.assistant {"calls": [{"callId": "a"}]}`
	askedA  = `run=r1 tool.requested {"callId": "a"}`
	askedB  = `run=r1 tool.requested {"callId": "b"}`
	saidA   = `run=r1 tool.decided {"callId": "a"}`
	saidB   = `run=r1 tool.decided {"callId": "b"}`
	doneA   = `run=r1 tool.returned {"callId": "a", "status": "completed"}`
	doneB   = `run=r1 tool.returned {"callId": "b", "status": "completed"}`
	failedA = `run=r1 tool.returned {"callId": "a", "status": "failed"}`
	approve = `run=r1 approval.requested {"approvalId": "p", "callId": "a"}`
	resolve = `run=r1 approval.resolved {"approvalId": "p", "callId": "a"}`
	child   = `run=r1 subagent.started {"callId": "a"}`
	grown   = `run=r1 subagent.ended {"callId": "a", "calls": 3}`
)

func TestLogsThatAreRight(t *testing.T) {
	for name, log := range map[string][]string{
		"nothing":   {opened},
		"a run":     {opened, started, ended},
		"two calls": {opened, started, calls2, askedA, askedB, saidA, saidB, doneA, doneB, ended},
		"what may stand between": {opened, started, calls2, askedA, `run=r1 message.user {"text": "stop"}`, approve, resolve, saidA, askedB, saidB,
			child, grown, `run=r1 file.changed {"callId": "a"}`, doneA, `session.changed {"mode": "x"}`, doneB, ended},
		"unknown tool":         {opened, started, call1, askedA, failedA, ended},
		"never run":            {opened, started, call1, askedA, `run=r1 tool.returned {"callId": "a", "status": "cancelled"}`, ended},
		"asked for a loop":     {opened, started, call1, askedA, `run=r1 approval.requested {"approvalId": "l", "callId": "a", "domain": "doom_loop"}`, `run=r1 approval.resolved {"approvalId": "l"}`, approve, resolve, saidA, doneA, ended},
		"a stale approval":     {opened, started, call1, askedA, approve, resolve, strings.ReplaceAll(approve, `"p"`, `"q"`), strings.ReplaceAll(resolve, `"p"`, `"q"`), saidA, doneA, ended},
		"a limit without call": {opened, started, `run=r1 approval.requested {"approvalId": "l", "callId": "", "domain": "limit"}`, `run=r1 approval.resolved {"approvalId": "l"}`, ended},
		"a child's approval with the same call id": {opened, started, call1, askedA, saidA, child,
			`run=r1 approval.requested {"approvalId": "p", "callId": "a", "agentPath": ["explore#1"]}`, `run=r1 approval.resolved {"approvalId": "p", "callId": "a"}`, grown, doneA, ended},
		"queued and dropped": {opened, started, call1, askedA, saidA, "run=r2 run.queued {}", `run=r2 run.ended {"stopReason": "cancelled"}`, doneA, ended},
		"queued and run":     {opened, started, "run=r2 run.queued {}", ended, "run=r2 run.started {}", "run=r2 run.ended {}"},
		"queued still":       {opened, started, "run=r2 run.queued {}", ended},
		"summaries":          {opened, started, `run=r1 context.compacted {"ok": true, "before": 100, "after": 90}`, `run=r1 context.compacted {"ok": false, "before": 100, "after": 100}`, ended},
		"unknown event":      {opened, started, `run=r1 of.tomorrow {"calls": 7, "text": []}`, ended},
	} {
		t.Run(name, func(t *testing.T) { only(t, playLog(t, logOf(log...), ""), "log", "") })
	}
}

func TestLogsThatBreakALaw(t *testing.T) {
	for name, c := range map[string]struct {
		law string
		log []string
	}{
		"no beginning":                     {"want session.opened", []string{started, ended}},
		"seq jumps":                        {"seq is 3, want 2", []string{opened, "seq=3 " + started, "seq=3 " + ended}},
		"seq stands":                       {"seq is 1, want 2", []string{opened, "seq=1 x", "seq=3 x"}},
		"no event":                         {"is not an event", []string{opened, ` {}`}},
		"line too long":                    {"is 210", []string{opened, `x {"text": "` + strings.Repeat("x", 210_000) + `"}`}},
		"afterSeq in a root":               {"only a sub-agent's line does", []string{opened, "after=1 x"}},
		"run starts twice":                 {"starts twice", []string{opened, started, started, ended}},
		"run starts again":                 {"which has ended", []string{opened, started, ended, started, ended}},
		"two runs at once":                 {"while run r1 is open", []string{opened, started, "run=r2 run.started", ended, "run=r2 run.ended"}},
		"run without end":                  {"run r1 has no run.ended", []string{opened, started}},
		"run ends twice":                   {"which has ended", []string{opened, started, ended, ended}},
		"end without run":                  {"was not open", []string{opened, ended}},
		"queued and ended":                 {"only a cancelled one may", []string{opened, "run=r1 run.queued", ended}},
		"queued twice":                     {"known already", []string{opened, "run=r1 run.queued", "run=r1 run.queued", "run=r1 run.started", ended}},
		"queued as another item":           {"known already", []string{opened, `run=r1 run.queued {"itemId": "q1"}`, `run=r1 run.queued {"itemId": "q2"}`, "run=r1 run.started", ended}},
		"queued again behind its start":    {"known already", []string{opened, `run=r1 run.queued {"itemId": "q1"}`, "run=r1 run.started", `run=r1 run.queued {"itemId": "q1"}`, ended}},
		"behind its run":                   {"which has ended", []string{opened, started, ended, "run=r1 x"}},
		"no result":                        {`calls ["a"] of line 3 have no result`, []string{opened, started, call1, askedA, saidA, ended}},
		"no result before a message":       {`message.assistant, but the calls ["b"]`, []string{opened, started, calls2, askedA, saidA, doneA, `run=r1 message.assistant {}`, ended}},
		"no result before a summary":       {`context.compacted, but the calls ["a"]`, []string{opened, started, call1, askedA, saidA, "run=r1 context.compacted", doneA, ended}},
		"a size below zero":                {"makes -5 tokens of 100", []string{opened, started, `run=r1 context.compacted {"ok": true, "before": 100, "after": -5}`, ended}},
		"a summary that gains nothing":     {"makes 91 tokens of 100", []string{opened, started, `run=r1 context.compacted {"ok": true, "before": 100, "after": 91}`, ended}},
		"two results":                      {"returns twice", []string{opened, started, call1, askedA, saidA, doneA, doneA, ended}},
		"results in another order":         {`result of call "b" stands before that of "a"`, []string{opened, started, calls2, askedA, askedB, saidA, saidB, doneB, doneA, ended}},
		"requested and no more":            {`"a" was requested and never returned`, []string{opened, started, askedA, ended}},
		"result of nothing":                {"which nobody made", []string{opened, started, failedA, ended}},
		"call id again":                    {"was used before", []string{opened, started, call1, askedA, saidA, doneA, call1, askedA, saidA, doneA, ended}},
		"ran without a decision":           {"completed without a decision", []string{opened, started, call1, askedA, doneA, ended}},
		"rejected without a decision":      {"rejected without a decision", []string{opened, started, call1, askedA, `run=r1 tool.returned {"callId": "a", "status": "rejected"}`, ended}},
		"decided before it is asked":       {"decided when it is not requested yet", []string{opened, started, call1, saidA, askedA, failedA, ended}},
		"returned and never requested":     {"returns and was never requested", []string{opened, started, call1, `run=r1 tool.returned {"callId": "a", "status": "cancelled"}`, ended}},
		"decided twice":                    {"decided when it is decided already", []string{opened, started, call1, askedA, saidA, saidA, doneA, ended}},
		"requested twice":                  {"requested twice", []string{opened, started, call1, askedA, askedA, saidA, doneA, ended}},
		"decided while asked":              {`decided while approval "p" is open`, []string{opened, started, call1, askedA, approve, saidA, resolve, doneA, ended}},
		"returned while asked":             {`returns while approval "p" is open`, []string{opened, started, call1, askedA, approve, failedA, resolve, ended}},
		"asked when decided":               {"which is decided already", []string{opened, started, call1, askedA, saidA, approve, resolve, doneA, ended}},
		"asked twice under one id":         {`approval "p" is requested twice`, []string{opened, started, call1, askedA, approve, resolve, approve, resolve, saidA, doneA, ended}},
		"answered twice":                   {"was not open", []string{opened, started, call1, askedA, approve, resolve, resolve, saidA, doneA, ended}},
		"answered and never asked":         {"was not open", []string{opened, started, call1, askedA, resolve, saidA, doneA, ended}},
		"asked and never answered":         {"never resolved", []string{opened, started, `run=r1 approval.requested {"approvalId": "p"}`, ended}},
		"returned before its sub-agent":    {"before its sub-agent has ended", []string{opened, started, call1, askedA, saidA, child, doneA, grown, ended}},
		"sub-agent of a call that is over": {"starts after the call returned", []string{opened, started, call1, askedA, saidA, doneA, child, grown, ended}},
		"sub-agent ends and never began":   {"ends and was not open", []string{opened, started, call1, askedA, saidA, grown, doneA, ended}},
		"sub-agent that never ends":        {"never ended", []string{opened, started, `run=r1 subagent.started {"callId": ""}`, ended}},
	} {
		t.Run(name, func(t *testing.T) { only(t, playLog(t, logOf(c.log...), ""), "log", c.law) })
	}
}

func TestLogOfASubAgent(t *testing.T) {
	for name, c := range map[string]struct{ sub, law string }{
		"right":      {logOf("after=3 session.opened", "after=3 run=x run.started", "after=4 run=x run.ended"), ""},
		"no place":   {logOf("after=3 session.opened", "x"), "carries no afterSeq"},
		"goes back":  {logOf("after=3 session.opened", "after=2 x"), "afterSeq 2 after 3"},
		"seq jumps":  {logOf("after=3 session.opened", "seq=3 after=3 x"), "seq is 3, want 2"},
		"never ends": {logOf("after=3 session.opened", "after=3 run=x run.started"), "has no run.ended"},
	} {
		t.Run(name, func(t *testing.T) { only(t, playLog(t, logOf(opened), `, "sub": `+c.sub), "log", c.law) })
	}
}

func TestLogThatIsTornOrNoText(t *testing.T) {
	only(t, playLog(t, logOf(opened), `, "torn": "{\"seq\": 2"`), "log", "does not end in a newline")
	only(t, playLog(t, logOf(opened), `, "torn": "{\"seq\": 2, \"type\": \"<ff>\"}\n"`), "log", "is not UTF-8")
}

// What a kill leaves open is no problem until somebody opens the log again; from
// then on it is only appended to.
func TestLogAfterAKill(t *testing.T) {
	const again = "--- restart\n--> initialize #0 {}\n<-- #0 result {…}\n--> initialized {}\n"
	write := func(log, more string) string {
		return fmt.Sprintf("--> emit #1 {\"log\": %s%s}\n<-- #1 result 1\n", log, more)
	}
	broken := []string{opened, started, call1, askedA, approve}
	mended := append(broken[:5:5], resolve, `run=r1 tool.returned {"callId": "a", "status": "interrupted"}`, ended)
	torn := `, "torn": "{\"seq\": 6"`
	for name, c := range map[string]struct{ steps, law string }{
		"killed":             {write(logOf(broken...), torn) + "--- kill\n", ""},
		"not opened again":   {write(logOf(broken...), torn) + again, ""},
		"mended":             {write(logOf(broken...), torn) + again + write(logOf(mended...), ""), ""},
		"half mended":        {write(logOf(broken...), torn) + again + write(logOf(mended[:6]...), ""), "run r1 has no run.ended"},
		"rewritten":          {write(logOf(opened, "x"), "") + again + write(logOf(opened, "y", "z"), ""), "line 2 is not what it was"},
		"shorter":            {write(logOf(opened, "x"), "") + again + write(logOf(opened), ""), "line 2 is not what it was"},
		"an earlier run too": {write(logOf(opened, "run=r0 run.started", "run=r1 run.started"), "") + "--- kill\n", "run r0 has no run.ended"},
	} {
		t.Run(name, func(t *testing.T) { only(t, play(t, name, begin+c.steps, false), "log", c.law) })
	}
	if r := play(t, "no laws", "no laws: log\n"+begin+write(logOf(started), ""), false); len(r.Problems) > 0 {
		t.Errorf("laws that were left out: %q", r.Problems)
	}
}
