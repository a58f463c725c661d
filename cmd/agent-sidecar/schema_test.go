package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/schema"
)

// TestSchema holds what is checked in, and served, against the Go types.
func TestSchema(t *testing.T) {
	meta, _ := rpc.MetaModel()
	meta = append(bytes.Clone(meta), '\n')
	sum := sha256.Sum256(meta)
	for _, f := range []struct {
		name      string
		made, had []byte
	}{
		{"metaModel.json", meta, schema.MetaModel()},
		{"metaModel.sha256", []byte(hex.EncodeToString(sum[:8])), []byte(schema.Hash())},
		{"protocol.schema.json", append(rpc.JSONSchema(), '\n'), schema.JSONSchema()},
		{"config.schema.json", control.ConfigSchema(), schema.Config()},
	} {
		if bytes.Equal(f.made, f.had) {
			continue
		}
		if !*update {
			t.Errorf("schema/%s is not what the Go types say: run make update and read the difference", f.name)
			continue
		}
		if err := os.WriteFile(filepath.Join("..", "..", "schema", f.name), f.made, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
