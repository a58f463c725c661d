package testclient_test

import (
	"fmt"
	"strings"
	"testing"
)

// step is a request that the fake answers with messages before and after its
// response; what comes back is not what these tests look at.
func step(id int, method, more string, messages ...string) string {
	return fmt.Sprintf("--> %s #%d {%s\"raw\": [%s]}\n<-- #%d result {…}\n", method, id, more, strings.Join(messages, ","), id)
}

func emit(messages ...string) string { return step(1, "emit", "", messages...) }

func progress(token int, kind, agent string) string {
	if agent != "" {
		agent = `,"agent":` + agent
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/progress","params":{"token":%d,"value":{"kind":%q%s}}}`, token, kind, agent)
}

// created opens the token 7 as a server does.
const created = "--- answer window/workDoneProgress/create null\n" +
	`--> ask #91 {"method": "window/workDoneProgress/create", "id": "t", "params": {"token": 7}}` + "\n"

// hideAll leaves to the laws what they are about.
const hideAll = "--- hide agent/event $/progress window/workDoneProgress/create #91 #92\n"

func TestWires(t *testing.T) {
	const (
		r1     = `"as": {"runId": "r1", "disposition": "started"}, `
		queued = `"as": {"runId": "r1", "disposition": "queued"}, `
		result = `"await": true, "as": {"runId": "r1", "stopReason": "end_turn"}, `
	)
	run := events("seq=1 run=r1 run.started", "seq=2 run=r1 run.ended")
	agent := `{"runId":"r1"}`
	for name, c := range map[string]struct{ steps, law string }{
		"O1 right":              {emit(events("seq=4 x", "after=4 y", "seq=5 x")...), ""},
		"O1 seq jumps":          {emit(events("seq=1 x", "seq=3 x")...), "O1: seq 3 after 1: it rises by 1"},
		"O1 seq stands":         {emit(events("seq=1 x", "seq=1 x")...), "O1: seq 1 after 1"},
		"O1 ahead of the log":   {emit(events("seq=1 x", "after=3 y")...), "comes after seq 3, but only 1 was sent"},
		"O1 no place":           {emit(event("x")), "neither seq nor afterSeq"},
		"O1 two places":         {emit(event("seq=1 after=1 x")), "not both"},
		"O1 child's order":      {emit(events("after=1 sub=2 path=e#1 x", "after=1 sub=2 path=e#1 x")...), "O1: subSeq 2 of e#1 after 2"},
		"O1 other than the log": {step(1, "emit", `"log": `+logOf(opened, `x {"a": 1}`)+", ", event(`seq=2 x {"a": 2}`)), "is not in the log as it was sent"},
		"O1 not in the log":     {step(1, "emit", `"log": `+logOf(opened)+", ", event(`seq=2 x`)), "is not in the log as it was sent"},
		"O1 as in the log":      {step(1, "emit", `"log": `+logOf(opened, `x {"a": 1}`)+", ", event(`seq=2 x {"a":1}`)), ""},
		"O1 child's log": {step(1, "emit", `"log": `+logOf(opened)+`, "sub": `+logOf("after=1 session.opened")+", ",
			event("after=1 sub=1 path=e#1 session.changed")), "is not in the log as it was sent"},
		"no event":            {emit(`{"jsonrpc":"2.0","method":"agent/event","params":{"x":1}}`), "is not an event"},
		"config approval":     {emit(event(`session= approval.requested {"approvalId": "p", "domain": "config"}`)), ""},
		"seq without session": {emit(event(`session= seq=1 approval.requested {"approvalId": "p"}`)), "belongs to no session"},

		"O2 right":      {fmt.Sprintf("--> agent/run #1 {%s\"end\": [%s]}\n<-- #1 result {…}\n", r1, strings.Join(run, ",")), ""},
		"O2 run":        {step(1, "agent/run", r1, run...), "O2: run r1 was mentioned"},
		"O2 queued run": {step(1, "agent/run", queued, event("seq=1 run=r1 run.queued")), "O2: run r1 was mentioned"},
		"O2 the same ack": {fmt.Sprintf("--> agent/run #1 {%s\"end\": [%s]}\n<-- #1 result {…}\n", r1, run[0]) +
			step(2, "agent/run", r1, run[1]), ""},
		"O2 session": {step(1, "agent/session/new", `"as": {"session": {"id": "0001"}}, `, event("seq=1 session.opened")), "O2: session 0001 was mentioned"},

		"O3 right":                   {created + step(1, "agent/run", result, run[0], progress(7, "begin", agent), run[1], progress(7, "end", agent)), ""},
		"O3 behind run.ended":        {emit(events("seq=1 run=r1 run.started", "seq=2 run=r1 run.ended", "after=2 run=r1 run.state")...), "O3: run.state of run r1 after its run.ended"},
		"O3 response too early":      {step(1, "agent/run", result, run[0]), "came before its run.ended"},
		"O3 progress ends too early": {created + step(1, "emit", "", run[0], progress(7, "begin", agent), progress(7, "end", agent), run[1]), "O3: progress of run r1 ended before its run.ended"},
		"O3 response before the end of progress": {step(1, "agent/run", result+`"workDoneToken": 7, "end": [`+progress(7, "end", "")+"], ", run[0], progress(7, "begin", ""), run[1]),
			"O3: the response to agent/run came before the end of its progress"},

		"O4 right":               {emit(events("seq=1 "+askedA, "seq=2 "+approve, "seq=3 "+resolve, "seq=4 "+saidA, "seq=5 "+doneA)...), ""},
		"O4 resumed in a call":   {emit(events("seq=4 "+saidA, "seq=5 "+doneA, "seq=6 "+resolve)...), ""},
		"O4 decided while asked": {emit(events("seq=1 "+askedA, "seq=2 "+approve, "seq=3 "+saidA)...), `O4: call "a" is decided while approval "p" is open`},
		"O4 without a decision":  {emit(events("seq=1 "+askedA, "seq=2 "+doneA)...), "without a decision"},
		"O4 twice":               {emit(events("seq=1 "+askedA, "seq=2 "+failedA, "seq=3 "+failedA)...), "returns twice"},

		"O5 right":      {emit(events("seq=1 "+askedA, "seq=2 "+child, "after=2 sub=1 path=e#1 parent=a x", "seq=3 "+grown, "seq=4 "+failedA)...), ""},
		"O5 too early":  {emit(events("seq=1 "+askedA, "after=1 sub=1 path=e#1 parent=a x", "seq=2 "+child, "seq=3 "+grown)...), "O5: x of [e#1] lies outside"},
		"O5 too late":   {emit(events("seq=1 "+askedA, "seq=2 "+child, "seq=3 "+grown, "after=3 sub=1 path=e#1 parent=a x")...), "O5: x of [e#1] lies outside"},
		"O5 call first": {emit(events("seq=1 "+askedA, "seq=2 "+child, "seq=3 "+failedA)...), "before its sub-agent has ended"},

		"O6 right":             {created + emit(progress(7, "begin", ""), progress(7, "report", ""), progress(7, "end", "")), ""},
		"O6 not created":       {emit(progress(7, "begin", ""), progress(7, "end", "")), "O6: begin of token 7, whose create was not answered"},
		"O6 create refused":    {strings.ReplaceAll(created, "--- answer window/workDoneProgress/create null\n", "") + "--> #s1 error {\"code\": -32601, \"message\": \"no\"}\n" + emit(progress(7, "begin", ""), progress(7, "end", "")), "O6: begin of token 7, whose create was not answered"},
		"O6 begins twice":      {created + emit(progress(7, "begin", ""), progress(7, "begin", ""), progress(7, "end", "")), "O6: token 7 begins again"},
		"O6 is used again":     {created + emit(progress(7, "begin", ""), progress(7, "end", ""), progress(7, "begin", ""), progress(7, "end", "")), "O6: token 7 begins again"},
		"O6 ends twice":        {created + emit(progress(7, "begin", ""), progress(7, "end", ""), progress(7, "end", "")), "O6: end of token 7, which is not open"},
		"O6 report before":     {created + emit(progress(7, "report", "")), "O6: report of token 7, which is not open"},
		"O6 never ends":        {created + emit(progress(7, "begin", "")), "O6: progress 7 never ended"},
		"O6 created twice":     {created + strings.NewReplacer("91", "92", `"t"`, `"u"`).Replace(created), "O6: token 7 is created twice"},
		"O6 own token":         {step(1, "emit", `"workDoneToken": 7, `, progress(7, "begin", ""), progress(7, "end", "")), ""},
		"O6 own token, behind": {step(1, "emit", `"workDoneToken": 7, "end": [`+progress(7, "begin", "")+`,`+progress(7, "end", "")+"], "), "O6: begin of token 7 after the response"},

		"O7 right":     {emit(events(`after=0 message.delta {"messageId": "m", "text": "a "}`, `after=0 message.delta {"messageId": "m", "text": "b"}`, `seq=1 message.assistant {"messageId": "m", "text": "a b"}`)...), ""},
		"O7 differs":   {emit(events(`after=0 message.delta {"messageId": "m", "text": "a "}`, `seq=1 message.assistant {"messageId": "m", "text": "a b"}`)...), "O7: the deltas of message m joined"},
		"O7 withdrawn": {emit(events(`after=0 message.delta {"messageId": "m", "text": "x"}`, `after=0 notice {"kind": "message_reset", "messageId": "m"}`, `after=0 message.delta {"messageId": "m", "text": "b"}`, `seq=1 message.assistant {"messageId": "m", "text": "b"}`)...), ""},
		"O7 a gap":     {emit(events(`after=0 gap {}`, `after=0 message.delta {"messageId": "m", "text": "x"}`, `seq=1 message.assistant {"messageId": "m", "text": "b"}`)...), ""},
		"O7 resumed": {"--> agent/session/resume #3 {\"sessionId\": \"0001\"}\n<-- #3 result 1\n" +
			emit(events(`after=0 message.delta {"messageId": "m", "text": "b"}`, `seq=1 message.assistant {"messageId": "m", "text": "a b"}`)...), ""},

		"replayed": {emit(event("seq=3 run=r1 run.ended")) + step(2, "agent/session/resume", `"sessionId": "0001", "replay": "events", `,
			event("seq=1 run=r1 x"), event("seq=2 run=r1 x"), event("seq=3 run=r1 run.ended")), ""},
		"replayed for nobody": {emit(event("seq=3 x")) + step(2, "agent/session/resume", `"sessionId": "0001", "replay": "none", `, event("seq=1 x")), "O1: seq 1 after 3"},

		"answered twice":       {"--- hide #1\n--> twice #1 {}\n", "response to 1, which is not waiting"},
		"not answered":         {"--> emit #1 {\"as\": \"never\"}\n", "request #1 (emit) was never answered"},
		"answer to nobody":     {"--- hide #77\n" + emit(`{"jsonrpc":"2.0","id":77,"result":1}`), "response to 77, which is not waiting"},
		"answer with no id":    {"--- hide #null\n" + emit(`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`), "has id null"},
		"answer to a bad id":   {"--> emit #1.5 {\"as\": \"never\", \"raw\": [{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"id\"}}]}\n<-- #null error {…}\n", ""},
		"error without a code": {"--> emit #1 {\"as\": \"never\", \"raw\": [{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"message\":\"x\"}}]}\n<-- #1 error {…}\n", "an error has a code"},
		"server id 0":          {"--- hide x\n" + emit(`{"jsonrpc":"2.0","id":0,"method":"x"}`), "has id 0"},
		"server id twice":      {"--- hide x\n" + emit(`{"jsonrpc":"2.0","id":1,"method":"x"}`, `{"jsonrpc":"2.0","id":1,"method":"x"}`), "used id 1 twice"},
	} {
		t.Run(name, func(t *testing.T) { only(t, play(t, "wire", begin+hideAll+c.steps, false), "wire", c.law) })
	}
}
