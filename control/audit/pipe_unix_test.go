//go:build unix

package audit

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// A named pipe in the place of an audit is not waited for.
func TestAuditIsNoPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	if err := errors.Join(syscall.Mkfifo(path, 0o600), syscall.Mkfifo(path+".1", 0o600)); err != nil {
		t.Fatal(err)
	}
	_, openErr := Open(&durable.Disk{}, path)
	_, verifyErr := Verify(path)
	for what, err := range map[string]error{"open": openErr, "verify": verifyErr, "read": Read(path, func(*Line, string) {})} {
		if !errors.Is(err, durable.ErrNoFile) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
