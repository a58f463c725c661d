package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestKinds: each kind has its code and the members of data that protocol §7
// and rulings 9, 24 and 115 give it.
func TestKinds(t *testing.T) {
	tests := []struct {
		err  *wireError
		code int64
		data string
	}{
		{sessionNotFound("7"), -32803, `{"kind":"session_not_found","retryable":false,"sessionId":"7"}`},
		{sessionLocked("7", 12), -32803, `{"kind":"session_locked","pid":12,"retryable":true,"sessionId":"7"}`},
		{sessionBusy("7", "r1"), -32803, `{"kind":"session_busy","retryable":true,"runId":"r1","sessionId":"7"}`},
		{runNotActive("7"), -32803, `{"kind":"run_not_active","retryable":false,"sessionId":"7"}`},
		{runMismatch("r1", "r2"), -32803, `{"actual":"r2","expected":"r1","kind":"run_mismatch","retryable":false}`},
		{artifactNotFound("a"), -32803, `{"kind":"artifact_not_found","retryable":false}`},
		{artifactExpired("a"), -32803, `{"kind":"artifact_expired","retryable":false}`},
		{approvalNotFound("a"), -32803, `{"kind":"approval_not_found","retryable":false}`},
		{unsupportedContent("audio"), -32803, `{"kind":"unsupported_content","retryable":false}`},
		{payloadTooLarge("the prompt", 9), -32803, `{"kind":"payload_too_large","limit":9,"retryable":false}`},
		{invalidConfig("a.b", "no"), -32803, `{"kind":"invalid_config","path":"a.b","retryable":false}`},
		{confirmationRequired("mode", "why"), -32803, `{"field":"mode","kind":"confirmation_required","retryable":false}`},
		{runnerNotConfigured(), -32803, `{"kind":"runner_not_configured","retryable":false}`},
		{overloaded(5), -32803, `{"kind":"overloaded","retryAfterMs":5,"retryable":true}`},
		{invalidParams("a", "no"), -32602, `{"field":"a","kind":"invalid_params","retryable":false}`},
		{shuttingDown(), -32600, `{"kind":"shutting_down","retryable":false}`},
		{failed(kindInternal, "x"), -32603, `{"kind":"internal","retryable":false}`},
	}
	seen := map[kind]bool{}
	for _, test := range tests {
		var got struct {
			Code int64
			Data json.RawMessage
		}
		if err := json.Unmarshal(test.err.encode(), &got); err != nil {
			t.Fatal(err)
		}
		if got.Code != test.code || string(got.Data) != test.data {
			t.Errorf("%s: %d %s, want %d %s", test.err.kind, got.Code, got.Data, test.code, test.data)
		}
		for _, name := range kinds[test.err.kind].data {
			if test.err.data[name] == nil {
				t.Errorf("%s lacks %s", test.err.kind, name)
			}
		}
		seen[test.err.kind] = true
	}
	for k := range kinds {
		if !seen[k] {
			t.Errorf("%s is in no row of this table", k)
		}
	}
}

func TestToWire(t *testing.T) {
	ours := errors.New("of another package")
	domain := func(err error) *wireError {
		if errors.Is(err, ours) {
			return sessionNotFound("7")
		}
		return nil
	}
	tests := []struct {
		err       error
		cancelled bool
		code      int64
		kind      kind
	}{
		{fmt.Errorf("run: %w", runNotActive("7")), false, -32803, kindRunNotActive},
		{fmt.Errorf("open: %w", ours), false, -32803, kindSessionNotFound},
		{errors.New("what"), false, -32603, kindInternal},
		{fmt.Errorf("stop: %w", context.Canceled), false, -32800, ""},
		{errClientGone, false, -32800, ""},
		{context.DeadlineExceeded, false, -32603, kindInternal},
		{runNotActive("7"), true, -32800, ""},
	}
	for _, test := range tests {
		if got := toWire(test.err, test.cancelled, domain); got.code != test.code || got.kind != test.kind {
			t.Errorf("%v: %d %s", test.err, got.code, got.kind)
		}
	}
	long := failed(kindInternal, "%s", strings.Repeat("é", maxMessageBytes)).encode()
	if len(long) > maxMessageBytes+200 || !json.Valid(long) {
		t.Errorf("an error of %d bytes", len(long))
	}
}
