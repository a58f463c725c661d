package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// Which memory files count as ours: <home>/memory/<workspace-id>.json holds, by
// name, the hash that the agent or a person's yes has left. It lies where no tool
// reaches. A repository, or a pull, that brings a file changes nothing there.

func (v *Vault) knownFile() (string, error) {
	if v.home == "" {
		return "", errors.New("the sidecar has no home directory, so memory cannot be told from what others wrote")
	}
	return filepath.Join(v.home, "memory", v.WorkspaceID()+".json"), nil
}

// lockMemory keeps other processes from appending, and from changing what is
// known.
func (v *Vault) lockMemory() (io.Closer, error) {
	file, err := v.knownFile()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, fmt.Errorf("lock the memory: %w", err)
	}
	return durable.LockBeside(file)
}

// knownMemory is empty where nothing can be read: then nothing is ours.
func (v *Vault) knownMemory() map[string]string {
	known := map[string]string{}
	file, err := v.knownFile()
	if err != nil {
		return known
	}
	text, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(text, &known) != nil {
		return map[string]string{}
	}
	return known
}

// setKnown is called with the lock. Days that no prompt shows any more are
// forgotten.
func (v *Vault) setKnown(name, hash string) error {
	file, err := v.knownFile()
	if err != nil {
		return err
	}
	known := v.knownMemory()
	yesterday := memoryOf(time.Now().AddDate(0, 0, -1))
	for old := range known {
		if old != memoryLong && old < yesterday {
			delete(known, old)
		}
	}
	known[name] = hash
	text, err := json.Marshal(known)
	if err != nil {
		return err
	}
	if err := durable.WriteFile(file, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("remember what was written: %w", err)
	}
	return nil
}

// keepKnown lets a memory file that was ours, or was not there, be ours after our
// own change of it. What another hand wrote does not become ours because we added
// to it. It is called with the lock.
func (v *Vault) keepKnown(p Path, was snapshot, after string) error {
	if !p.isMemory() {
		return nil
	}
	if was.exists && len(was.data) > 0 && v.knownMemory()[p.rel] != was.hash {
		return nil
	}
	return v.setKnown(p.rel, after)
}

// changedMemory is keepKnown for write and edit, which take no lock before.
func (v *Vault) changedMemory(p Path, was snapshot, after string) error {
	if !p.isMemory() {
		return nil
	}
	lock, err := v.lockMemory()
	if err != nil {
		return err
	}
	defer lock.Close()
	return v.keepKnown(p, was, after)
}
