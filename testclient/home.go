package testclient

import (
	"fmt"
	"os"
	"path/filepath"
)

// AskingHome makes a sidecar's home in which commands are asked about on every machine,
// unless a configuration says otherwise: where the sandbox has all of its walls they would
// run without a question in a new home.
func AskingHome(sidecar string) error {
	if err := os.MkdirAll(sidecar, 0o700); err != nil {
		return fmt.Errorf("make a home: %w", err)
	}
	if err := os.WriteFile(filepath.Join(sidecar, "autoallow"), []byte("off\n"), 0o600); err != nil {
		return fmt.Errorf("make a home: %w", err)
	}
	return nil
}
