package history

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// What lies beside the log is what its name says, or it is an error: nothing else is
// run, shown or sent in its place.
func TestReadBlob(t *testing.T) {
	dir := t.TempDir()
	sum := sha256.Sum256([]byte("rm a"))
	name := hex.EncodeToString(sum[:])
	path := filepath.Join(dir, BlobFolder, name)
	if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("rm a"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadBlob(dir, name); err != nil || string(data) != "rm a" {
		t.Errorf("%q, %v", data, err)
	}
	for _, other := range []string{"rm b", "rm", ""} {
		if err := os.WriteFile(path, []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		if data, err := ReadBlob(dir, name); err == nil {
			t.Errorf("%q is given for another text", data)
		}
	}
	if _, err := ReadBlob(dir, "../"+LogFile); err == nil {
		t.Error("a path is read")
	}
}
