package testclient_test

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/testclient"
	"github.com/agent-sidecar/agent-sidecar/testclient/acpschema"
)

var readACP = sync.OnceValues(func() (*acpschema.Schema, error) {
	raw, err := os.ReadFile("../rpc/acp/v1/schema.json")
	if err != nil {
		return nil, err
	}
	return acpschema.Read(raw)
})

// officialACP is the schema, read once.
func officialACP(t *testing.T) *acpschema.Schema {
	t.Helper()
	s, err := readACP()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// prompted is a prompt in whose course the fake says lines, and what it answers.
func prompted(lines, as string) string {
	return `--> session/new #2 {"as": {"sessionId": "0001"}}` + "\n<-- #2 result {…}\n" +
		`--> session/prompt #3 {"sessionId": "0001", "raw": [` + lines + `], "as": ` + as + "}\n"
}

// updated is a session/update, and asked a request of the server, as the fake says them.
func updated(update string) string {
	return `{"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "0001", "update": ` + update + `}}`
}

func asked(method, params string) string {
	return `{"jsonrpc": "2.0", "id": "s9", "method": "` + method + `", "params": ` + params + `}`
}

const (
	anAnswer   = `{"stopReason": "end_turn"}`
	aCall      = `{"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "Run"}`
	aNotice    = `{"sessionUpdate": "notice", "severity": "info", "title": "N"}`
	permission = `{"sessionId": "0001", "toolCall": {"toolCallId": "c1"}, "options": []}`
	readFile   = `{"sessionId": "0001", "path": "/a"}`
)

// Over the Agent Client Protocol each of these has to be noticed.
func TestACPLaws(t *testing.T) {
	for name, c := range map[string]struct{ client, steps, law string }{
		"nothing":               {"", prompted("", anAnswer), ""},
		"a message":             {"", prompted(updated(`{"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}}`), anAnswer), ""},
		"own methods":           {"", prompted(`{"jsonrpc": "2.0", "method": "_own/event", "params": {"sessionId": "x"}}`, anAnswer), ""},
		"an unknown update":     {"", prompted(updated(`{"sessionUpdate": "news"}`), anAnswer), "SessionNotification"},
		"a wrong result":        {"", prompted("", `{"stopReason": "done"}`), "PromptResponse"},
		"no result of its kind": {"", prompted("", `[]`), "PromptResponse"},
		"a method of LSP":       {"", prompted(`{"jsonrpc": "2.0", "method": "window/logMessage", "params": {}}`, anAnswer), "no notification window/logMessage"},
		"an error without text": {"", `--> _emit #9 {"as": "never", "raw": [{"jsonrpc": "2.0", "id": 9, "error": {"code": 1}}]}` + "\n", "Error"},
		"never answered":        {"", prompted("", `"never"`), "#3 (session/prompt) was never answered"},
		"answered twice":        {"", "--> twice #2 {}\n", "response to 2, which is not waiting"},
		"stray bytes":           {"", "--> stray #2 {}\n", "not a frame"},
		"id null":               {"", `--> _emit #2 {"as": {}, "raw": [{"jsonrpc": "2.0", "id": null, "error": {"code": 1, "message": "x"}}]}` + "\n", "everything that was sent had a legal one"},
		"bad input, answered":   {"", `--> raw "{\n"` + "\n", ""},
		"a request in raw":      {"", `--> raw "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"session/new\",\"params\":{\"as\":{\"sessionId\":\"0001\"}}}\n"` + "\n", ""},
		"no client":             {"none", `--> session/new #2 {"as": {"sessionId": "0001"}, "raw": [` + updated(aNotice) + "]}\n", "session/update came before the answer to initialize"},
		"before its session":    {"", `--> session/new #2 {"as": {"sessionId": "0001"}, "raw": [` + updated(aNotice) + "]}\n", "of a session that no response has introduced"},
		"a session that lay":    {"", `--> session/load #2 {"sessionId": "0001", "as": {}, "raw": [` + updated(aCall) + "]}\n", ""},
		"behind the answer":     {"", prompted("", anAnswer) + `--> _emit #4 {"as": {}, "raw": [` + updated(aCall) + "]}\n", "tool_call while no prompt is open"},
		"a notice behind it":    {"", prompted("", anAnswer) + `--> _emit #4 {"as": {}, "raw": [` + updated(aNotice) + "]}\n", ""},
		"a notice for nobody":   {"plain", prompted(updated(aNotice), anAnswer), "without session.notices"},
		"a file for nobody":     {"", prompted(asked("fs/read_text_file", readFile), anAnswer), "without fs.readTextFile"},
		"a file not declared":   {`{"protocolVersion": 1, "clientCapabilities": {"fs": {"readTextFile": false}}}`, prompted(asked("fs/read_text_file", readFile), anAnswer), "without fs.readTextFile"},
		"a file":                {`{"protocolVersion": 1, "clientCapabilities": {"fs": {"readTextFile": true}}}`, prompted(asked("fs/read_text_file", readFile), anAnswer), ""},
		"a form for nobody":     {"", prompted(asked("elicitation/create", `{"message": "m", "mode": "form", "requestedSchema": {}, "sessionId": "0001"}`), anAnswer), "without elicitation"},
		"a terminal":            {"", prompted(asked("terminal/create", `{"sessionId": "0001", "command": "x"}`), anAnswer), "the terminals of a client are not used"},
		"a call asked about":    {"", prompted(updated(aCall)+", "+asked("session/request_permission", permission), anAnswer), ""},
		"no call asked about":   {"", prompted(asked("session/request_permission", permission), anAnswer), "about call c1, which no tool_call has shown"},
		"no call updated":       {"", prompted(updated(`{"sessionUpdate": "tool_call_update", "toolCallId": "c1"}`), anAnswer), "about call c1, which no tool_call has shown"},
		"an id twice":           {"", prompted(updated(aCall)+", "+asked("session/request_permission", permission)+", "+asked("session/request_permission", permission), anAnswer), "used id \"s9\" twice"},
	} {
		t.Run(name, func(t *testing.T) {
			text := "-- args --\nacp\n"
			if c.client != "" {
				text += "-- client --\n" + c.client + "\n"
			}
			var laws []string // an update writes down what came, so that only laws are left
			for _, p := range play(t, "acp", text+"-- conversation --\n"+c.steps, true).Problems {
				if strings.HasPrefix(p, "wire ") {
					laws = append(laws, p)
				}
			}
			all := strings.Join(laws, "\n")
			if (all == "") != (c.law == "") || !strings.Contains(all, c.law) {
				t.Errorf("no problem says %q, or another one does:\n%s", c.law, all)
			}
		})
	}
}

// In real time a message may come in pieces, and none may that nobody expects.
func TestACPInRealTime(t *testing.T) {
	t.Parallel()
	chunk := func(text string) string {
		return updated(`{"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": {"type": "text", "text": "` + text + `"}}`)
	}
	begin := "realtime\n-- args --\nacp\n-- conversation --\n" + prompted(chunk("one ")+", "+updated(`{"sessionUpdate": "usage_update", "used": 1, "size": 2}`)+", "+chunk("two"), anAnswer)
	whole := `<-- session/update {"sessionId": "0001", "update": {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": {"type": "text", "text": "one two"}}}` + "\n<-- #3 result {\"stopReason\": \"end_turn\"}\n"
	if r := play(t, "acp", begin+whole, false); len(r.Problems) > 0 {
		t.Errorf("%q", r.Problems)
	}
	mustFail(t, "missing", begin+strings.Replace(whole, "one two", "one", 1), "did not come within")
	mustFail(t, "unexpected", begin+"<-- #3 result {…}\n", "nobody expects it")
}

func TestACPNeedsItsSchema(t *testing.T) {
	c, err := testclient.ParseConversation("acp", "-- args --\nacp\n-- conversation --\n")
	if err != nil {
		t.Fatal(err)
	}
	r := testclient.Play(c, testclient.Options{Dir: t.TempDir(), Start: startFake, Settle: func() {}})
	if all := strings.Join(r.Problems, "\n"); !strings.Contains(all, "Options.ACP is needed") {
		t.Errorf("%q", all)
	}
}
