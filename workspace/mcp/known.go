package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// knownBytes bounds the file of known definitions. A server that invents tools
// without end fills it; from then on what is new asks.
const knownBytes = 4 << 20

// knownTools are the definitions of MCP tools as they were when they were first
// seen or when a person last said yes to them, each as a hash. They are in
// <home>/mcp-tools.jsonl, where no tool reaches: one line each, added with one
// write, so that processes need no lock. A tool may have several: two folders may
// run two versions of one server.
type knownTools struct {
	path string // "" remembers for this process only

	mu    sync.Mutex // guards everything below
	read  int64      // bytes of the file that are in seen
	seen  map[knownTool]bool
	named map[knownTool]bool // the same without hashes
}

type knownTool struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	Hash   string `json:"hash"`
}

// first remembers the definition of a tool that has none yet, and says whether
// this one is known.
func (k *knownTools) first(server, name, hash string) (bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	err := k.refresh()
	t := knownTool{server, name, hash}
	switch {
	case k.seen[t]:
		return true, nil
	case err != nil || k.named[knownTool{Server: server, Tool: name}]:
		return false, err
	}
	err = k.add(t)
	return err == nil, err
}

// accept remembers a definition that a person said yes to.
func (k *knownTools) accept(server, name, hash string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := knownTool{server, name, hash}
	if err := k.refresh(); err != nil || k.seen[t] {
		return err
	}
	return k.add(t)
}

// refresh reads what was added since, by this process or another.
func (k *knownTools) refresh() error {
	if k.seen == nil {
		k.seen, k.named = map[knownTool]bool{}, map[knownTool]bool{}
	}
	if k.path == "" {
		return nil
	}
	info, err := os.Stat(k.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("read the known MCP tools: %w", err)
	case info.Size() == k.read:
		return nil
	case info.Size() > knownBytes:
		return fmt.Errorf("%s is larger than %d MiB", k.path, knownBytes>>20)
	}
	text, err := os.ReadFile(k.path)
	if err != nil {
		return fmt.Errorf("read the known MCP tools: %w", err)
	}
	for line := range bytes.Lines(text) {
		var t knownTool
		if json.Unmarshal(line, &t) == nil { // a torn line knows nothing
			k.remember(t)
		}
	}
	k.read = int64(len(text))
	return nil
}

func (k *knownTools) remember(t knownTool) {
	k.seen[t] = true
	t.Hash = ""
	k.named[t] = true
}

func (k *knownTools) add(t knownTool) error {
	if k.path == "" {
		k.remember(t)
		return nil
	}
	line, err := json.Marshal(t)
	if err != nil {
		return err
	}
	if k.read+int64(len(line)) > knownBytes {
		return fmt.Errorf("%s is full", k.path)
	}
	if err := os.MkdirAll(filepath.Dir(k.path), 0o700); err != nil {
		return fmt.Errorf("remember an MCP tool: %w", err)
	}
	f, err := os.OpenFile(k.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("remember an MCP tool: %w", err)
	}
	// The newline before it ends a line that a crash has torn.
	_, err = f.Write(append(append([]byte{'\n'}, line...), '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("remember an MCP tool: %w", err)
	}
	k.remember(t)
	return nil
}
