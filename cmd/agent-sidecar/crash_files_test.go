//go:build unix

package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/testclient"
)

var mark = regexp.MustCompile(`<([\w.-]+)>`)

// marks is how often each call's mark stands in the workspace.
func (h *premises) marks() map[string]int {
	files, err := filepath.Glob(filepath.Join(h.env.Vault, "*.txt"))
	if err != nil {
		h.t.Fatal(err)
	}
	marks := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			h.t.Fatal(err)
		}
		for _, m := range mark.FindAllSubmatch(text, -1) {
			marks[string(m[1])]++
		}
	}
	return marks
}

// checkpoints: what an event names as the content before is there, whole.
func (h *premises) checkpoints(crashed testclient.Logs) {
	for _, l := range crashed.Lines() {
		b := bodyOf(l)
		if l.Type != "file.changed" || b.Checkpoint == "" {
			continue
		}
		id, kind, _ := strings.Cut(b.Checkpoint, ".") // with its kind and mode
		if strings.HasPrefix(kind, "04") {
			continue // a directory holds nothing
		}
		if err := wholeCheckpoint(filepath.Join(h.sidecar(), "checkpoints", id[:2], id+".gz"), id); err != nil {
			h.t.Errorf("%s: %v", b.Path, err)
		}
	}
}

// pieces: a file that a patch changes is as it was or as it should be, and where it
// is not as it was that content is kept.
func (h *premises) pieces() {
	for name, sides := range h.story.pieces {
		text, err := os.ReadFile(filepath.Join(h.env.Vault, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			h.t.Fatal(err)
		}
		if now := string(text); now != sides[0] && now != sides[1] {
			h.t.Errorf("%s holds %q", name, now)
		} else if now != sides[0] && sides[0] != "" {
			sum := sha256.Sum256([]byte(sides[0]))
			id := hex.EncodeToString(sum[:])
			if err := wholeCheckpoint(filepath.Join(h.sidecar(), "checkpoints", id[:2], id+".gz"), id); err != nil {
				h.t.Errorf("%s was changed, and what it held is not kept: %v", name, err)
			}
		}
	}
}

func wholeCheckpoint(path, id string) error {
	f, err := os.Open(path)
	if err != nil { // what a command has changed lies loose
		f, err = os.Open(strings.TrimSuffix(path, ".gz") + ".loose.gz")
	}
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, z); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != id {
		return fmt.Errorf("checkpoint %s holds %s", id, got)
	}
	return nil
}

// outside: the audit's chain, the configuration, and no file of the workspace in
// pieces.
func (h *premises) outside(powerCut bool) {
	h.dropTorn()
	if powerCut { // a line of the audit is only promised with run.ended
		h.chains()
	} else {
		checkAudit(h.t, h.env.Root)
	}
	path := filepath.Join(h.sidecar(), "config.jsonc")
	text, err := os.ReadFile(path)
	if err != nil {
		h.t.Fatal(err)
	}
	config, err := config.Open(h.sidecar(), config.Options{})
	if err != nil {
		h.t.Fatal(err)
	}
	for _, d := range config.Settings().Diagnostics {
		h.t.Errorf("config: %+v", d)
	}
	for id, decision := range h.approved {
		if decision == "always" && !bytes.Contains(text, []byte(`"always"`)) {
			h.t.Errorf("%s was answered always, and no rule is stored: %s", id, text)
		}
	}
}

// dropTorn takes the torn end off every audit, as its next line does.
func (h *premises) dropTorn() {
	files, err := filepath.Glob(filepath.Join(h.sidecar(), "logs", "agent-audit", "*", "*.jsonl"))
	for _, file := range files {
		_, cut := (*durable.Disk)(nil).CutTorn(file, "")
		err = errors.Join(err, cut)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *premises) chains() {
	files, err := filepath.Glob(filepath.Join(h.sidecar(), "logs", "agent-audit", "*", "*.jsonl"))
	if err != nil {
		h.t.Fatal(err)
	}
	for _, file := range files {
		if _, err := audit.Verify(file); err != nil {
			h.t.Errorf("audit: %v", err)
		}
	}
}
