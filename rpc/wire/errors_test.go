package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestToWire(t *testing.T) {
	failure := func(kind string) *Error { return &Error{Code: CodeFailed, Kind: kind} }
	ours := errors.New("of another package")
	domain := func(err error) *Error {
		if errors.Is(err, ours) {
			return failure("session_not_found")
		}
		return nil
	}
	tests := []struct {
		err       error
		cancelled bool
		code      int64
		kind      string
	}{
		{fmt.Errorf("run: %w", failure("run_not_active")), false, -32803, "run_not_active"},
		{fmt.Errorf("open: %w", ours), false, -32803, "session_not_found"},
		{errors.New("what"), false, -32603, KindInternal},
		{fmt.Errorf("stop: %w", context.Canceled), false, -32800, ""},
		{ErrClientGone, false, -32800, ""},
		{context.DeadlineExceeded, false, -32603, KindInternal},
		{failure("run_not_active"), true, -32800, ""},
	}
	for _, test := range tests {
		if got := toWire(test.err, test.cancelled, domain); got.Code != test.code || got.Kind != test.kind {
			t.Errorf("%v: %d %s", test.err, got.Code, got.Kind)
		}
	}
	long := Internal("%s", strings.Repeat("é", maxMessageBytes)).Encode()
	if len(long) > maxMessageBytes+200 || !json.Valid(long) {
		t.Errorf("an error of %d bytes", len(long))
	}
}
