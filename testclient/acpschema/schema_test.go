package acpschema_test

import (
	"os"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/testclient/acpschema"
)

// TestReceived: a line fits the definition of its method, or of the method that it
// answers.
func TestReceived(t *testing.T) {
	raw, err := os.ReadFile("../../rpc/acp/v1/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := acpschema.Read(raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ sent, line, says string }{
		{`{"jsonrpc":"2.0","id":1,"method":"session/new"}`, `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`, ""},
		{`{"jsonrpc":"2.0","id":"a b","method":"session/new"}`, `{"jsonrpc":"2.0","id":"a b","result":{"sessionId":7}}`, "NewSessionResponse"},
		{`{"jsonrpc":"2.0","id":1,"method":"session/prompt"}`, `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`, "PromptResponse"},
		{`{"jsonrpc":"2.0","id":1,"method":"session/prompt"}`, `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"done"}}`, "PromptResponse"},
		{`{"jsonrpc":"2.0","id":1,"method":"session/close"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"session/close"}`, `{"jsonrpc":"2.0","id":1,"result":null}`, "CloseSessionResponse"},
		{`{"jsonrpc":"2.0","id":1,"method":"_agentSidecar/rules"}`, `{"jsonrpc":"2.0","id":1,"result":[7]}`, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"agent/rules"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, "no response agent/rules"},
		{`{"jsonrpc":"2.0","id":1,"method":"agent/rules"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"agent/rules"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601}}`, "Error"},
		{`not JSON`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`, ""},
		{`{}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, "nobody has asked for"},
		{`{}`, `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}`, "either a result or an error"},
		{`{}`, `{"jsonrpc":"2.0","id":1}`, "either a result or an error"},
		{`{}`, `{"jsonrpc":"2.0","id":1.5,"error":{"code":1,"message":"x"}}`, "RequestId"},
		{`{}`, `{"id":1,"error":{"code":1,"message":"x"}}`, "not JSON-RPC 2.0"},
		{`{}`, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}`, ""},
		{`{}`, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plans","entries":[]}}}`, "SessionNotification"},
		{`{}`, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":null}}}`, "SessionNotification"},
		{`{}`, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}},"more":1}`, "more"},
		{`{}`, `{"jsonrpc":"2.0","id":"s1","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}`, "no request session/update"},
		{`{}`, `{"jsonrpc":"2.0","id":"s1","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"o","name":"Allow","kind":"allow_once"}]}}`, ""},
		{`{}`, `{"jsonrpc":"2.0","id":"s1","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"o","name":"Allow","kind":"once"}]}}`, "RequestPermissionRequest"},
		{`{}`, `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`, "no notification session/cancel"},
		{`{}`, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"s1"}}`, ""},
		{`{}`, `{"jsonrpc":"2.0","method":"window/logMessage","params":{}}`, "no notification window/logMessage"},
		{`{}`, `{"jsonrpc":"2.0","method":"_agentSidecar/event","params":{}}`, ""},
	} {
		conversation := schema.Begin()
		conversation.Sent([]byte(c.sent))
		err := conversation.Received([]byte(c.line))
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.line, err, c.says)
		}
	}
	twice := schema.Begin()
	twice.Sent([]byte(`{"id":1,"method":"session/close"}`))
	answer := []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	if err := twice.Received(answer); err != nil {
		t.Error(err)
	}
	if err := twice.Received(answer); err == nil {
		t.Error("two answers to one request passed")
	}
}
