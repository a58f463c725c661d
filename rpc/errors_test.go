package rpc

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/prompts"
)

func refusal(err error) *wire.Error {
	e, _ := errors.AsType[*wire.Error](err)
	return e
}

// TestKinds: each kind has its code and the members of data that PROTOCOL.md
// gives it.
func TestKinds(t *testing.T) {
	tests := []struct {
		err  *wire.Error
		code int64
		data string
	}{
		{domainError(&session.NotFoundError{SessionID: "7"}), -32803, `{"kind":"session_not_found","retryable":false,"sessionId":"7"}`},
		{domainError(&session.LockedError{SessionID: "7", PID: 12}), -32803, `{"kind":"session_locked","pid":12,"retryable":true,"sessionId":"7"}`},
		{domainError(&session.BusyError{SessionID: "7", RunID: "r1"}), -32803, `{"kind":"session_busy","retryable":true,"runId":"r1","sessionId":"7"}`},
		{runNotActive("7"), -32803, `{"kind":"run_not_active","retryable":false,"sessionId":"7"}`},
		{runMismatch("r1", "r2"), -32803, `{"actual":"r2","expected":"r1","kind":"run_mismatch","retryable":false}`},
		{artifactNotFound("a"), -32803, `{"kind":"artifact_not_found","retryable":false}`},
		{artifactExpired("a"), -32803, `{"kind":"artifact_expired","retryable":false}`},
		{approvalNotFound("a"), -32803, `{"kind":"approval_not_found","retryable":false}`},
		{refusal(promptBlocks{{Type: "audio"}}.check()), -32803, `{"kind":"unsupported_content","retryable":false}`},
		{domainError(&TooLargeError{9}), -32803, `{"kind":"payload_too_large","limit":9,"retryable":false}`},
		{invalidConfig("a.b", "no"), -32803, `{"kind":"invalid_config","path":"a.b","retryable":false}`},
		{confirmationRequired("mode", "why"), -32803, `{"field":"mode","kind":"confirmation_required","retryable":false}`},
		{domainError(&session.RunnerError{}), -32803, `{"kind":"runner_not_configured","retryable":false}`},
		{domainError(&prompts.UnknownError{Name: "a"}), -32803, `{"kind":"unknown_command","near":[],"retryable":false}`},
		{domainError(&prompts.ClientError{Name: "a", Request: "b"}), -32803, `{"kind":"client_command","request":"b","retryable":false}`},
		{domainError(&prompts.PageError{Err: errors.New("a")}), -32803, `{"kind":"page_failed","retryable":true}`},
		{domainError(&prompts.ServerError{Err: errors.New("a")}), -32803, `{"kind":"mcp_failed","retryable":true}`},
		{wire.Overloaded(5), -32803, `{"kind":"overloaded","retryAfterMs":5,"retryable":true}`},
		{wire.InvalidParams("a", "no"), -32602, `{"field":"a","kind":"invalid_params","retryable":false}`},
		{wire.ShuttingDown(), -32600, `{"kind":"shutting_down","retryable":false}`},
		{wire.Internal("x"), -32603, `{"kind":"internal","retryable":false}`},
	}
	seen := map[kind]bool{}
	for _, test := range tests {
		var got struct {
			Code int64
			Data json.RawMessage
		}
		if err := json.Unmarshal(test.err.Encode(), &got); err != nil {
			t.Fatal(err)
		}
		if got.Code != test.code || string(got.Data) != test.data {
			t.Errorf("%s: %d %s, want %d %s", test.err.Kind, got.Code, got.Data, test.code, test.data)
		}
		row := kinds[kind(test.err.Kind)]
		if row.code != test.err.Code || row.retryable != test.err.Retryable {
			t.Errorf("%s is not what its row says", test.err.Kind)
		}
		for _, name := range row.data {
			if test.err.Data[name] == nil {
				t.Errorf("%s lacks %s", test.err.Kind, name)
			}
		}
		seen[kind(test.err.Kind)] = true
	}
	for k := range kinds {
		if !seen[k] {
			t.Errorf("%s is in no row of this table", k)
		}
	}
}
