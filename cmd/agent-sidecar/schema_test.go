package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/schema"
)

// TestSchema holds what is checked in, and served, against the Go types.
func TestSchema(t *testing.T) {
	meta, _ := rpc.MetaModel()
	for _, f := range []struct {
		name      string
		made, had []byte
	}{
		{"metaModel.json", meta, schema.MetaModel()},
		{"protocol.schema.json", rpc.JSONSchema(), schema.JSONSchema()},
	} {
		made := append(bytes.Clone(f.made), '\n')
		if bytes.Equal(made, f.had) {
			continue
		}
		if !*update {
			t.Errorf("schema/%s is not what the Go types say: run make update and read the difference", f.name)
			continue
		}
		if err := os.WriteFile(filepath.Join("..", "..", "schema", f.name), made, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
