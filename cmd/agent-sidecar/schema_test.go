package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/config"
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
		{"schema/metaModel.json", meta, schema.MetaModel()},
		{"schema/metaModel.sha256", []byte(hex.EncodeToString(sum[:8])), []byte(schema.Hash())},
		{"schema/protocol.schema.json", append(rpc.JSONSchema(), '\n'), schema.JSONSchema()},
		{"schema/config.schema.json", config.Schema(), schema.Config()},
	} {
		holdMade(t, f.name, f.made, f.had)
	}
}

// TestSchemaInEditors holds what the editors' extensions are written against. The
// program prints these from the types, as they are part of no build of it.
func TestSchemaInEditors(t *testing.T) {
	for name, print := range map[string]func() ([]byte, error){
		"editors/vscode/src/protocol.ts":              rpc.TypeScript,
		"editors/nvim/lua/agent-sidecar/protocol.lua": rpc.Lua,
	} {
		made, err := print()
		if err != nil {
			t.Fatal(err)
		}
		had, err := os.ReadFile(filepath.Join(top, name))
		if err != nil && !*update {
			t.Error(err)
			continue
		}
		holdMade(t, name, made, had)
	}
}

// holdMade holds a file that is checked in against what it is made from.
func holdMade(t *testing.T, name string, made, had []byte) {
	t.Helper()
	if bytes.Equal(made, had) {
		return
	}
	if !*update {
		t.Errorf("%s is not what the Go types say: run make update and read the difference", name)
		return
	}
	file := filepath.Join(top, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, made, 0o644); err != nil {
		t.Fatal(err)
	}
}
