package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/hooks"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// A hook is told an output that lies in a file only if the file is still what the
// command wrote: a command could put a link to anything in its place.
func TestOutputOfAFile(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, text []byte) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	wrote, other := []byte("output"), []byte("secret")
	full := bytes.Repeat([]byte("x"), hooks.MaxBytes+1)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(put("target", wrote), link); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		wrote []byte
		path  string
		cut   bool
		told  bool
	}{
		"as it was":       {wrote, put("a", wrote), false, true},
		"cut at its cap":  {wrote, put("b", wrote), true, false},
		"other text":      {wrote, put("c", other), false, false},
		"longer":          {wrote, put("d", append(wrote[:6:6], '!')), false, false},
		"gone":            {wrote, filepath.Join(dir, "none"), false, false},
		"a link to it":    {wrote, link, false, false},
		"a directory":     {wrote, dir, false, false},
		"one byte less":   {full[:hooks.MaxBytes-1], put("e", full[:hooks.MaxBytes-1]), false, true},
		"as much as goes": {full[:hooks.MaxBytes], put("f", full[:hooks.MaxBytes]), false, true},
		"one byte more":   {full, put("g", full), false, false},
	} {
		sum := sha256.Sum256(c.wrote)
		text, untold := wholeOf(&tool.Spilled{Bytes: int64(len(c.wrote)), SHA256: hex.EncodeToString(sum[:]), Capped: c.cut, FullPath: c.path})
		if (text != nil) != c.told || (untold == "") != c.told || c.told && *text != string(c.wrote) {
			t.Errorf("%s: told %v, %q", name, text != nil, untold)
		}
	}
}
