//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// TestAClockThatGoesBack serves one home three times: the second process begins ten
// days before the first one has ended, and the third a year after. What counts is the
// order of the log, never the time in it. Each bubble of time begins at the same
// instant, so a new one is a clock that went back.
func TestAClockThatGoesBack(t *testing.T) {
	knownProber()
	dir := t.TempDir()
	s := stories[0]
	var h *premises
	var listed []string
	for n, late := range []time.Duration{10 * 24 * time.Hour, 0, 365 * 24 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			was := h
			h = newPremises(t, dir, s)
			defer h.stop()
			if was != nil {
				h.acks, h.prompts, h.said, h.approved = was.acks, was.prompts, was.said, was.approved
			}
			<-time.After(late)
			l := h.live(&durable.Disk{})
			l.hello()
			if n == 0 {
				l.ask("agent/run", `{"prompt": "One.", "clientMessageId": "m-1"}`)
			} else {
				before := h.logs()
				// Said before the jump, and found behind it; life.take holds the acks together.
				if raw := l.ask("agent/run", h.prompts["m-1"]); !strings.Contains(string(raw), `"seq":2`) {
					t.Errorf("life %d: m-1 was acknowledged anew: %s", n, raw)
				}
				raw := l.ask("agent/run", `{"sessionId": "0001", "prompt": "Go on."}`)
				if !strings.Contains(string(raw), `"started"`) {
					t.Errorf("life %d: %s", n, raw)
				}
				// The open session keeps its artifact, however old a jump makes it. In the
				// life after that nobody has the session open when it is swept.
				old := time.Now().Add(-30 * 24 * time.Hour)
				for _, file := range h.artifacts() {
					if err := os.Chtimes(file, old, old); err != nil {
						t.Fatal(err)
					}
				}
				l.wait("3h")
				if kept := len(h.artifacts()); (kept > 0) != (n == 1) {
					t.Errorf("life %d: %d artifacts", n, kept)
				}
				for _, bad := range h.logs().Grew(before) {
					t.Errorf("life %d: %s", n, bad)
				}
			}
			l.ask("agent/session/new", fmt.Sprintf(`{"title": "Life %d"}`, n))
			var list struct {
				Sessions []struct{ ID, State string }
			}
			raw := l.ask("agent/session/list", `{}`)
			if err := json.Unmarshal(raw, &list); err != nil || len(list.Sessions) != n+2 {
				t.Errorf("life %d: %v: %s", n, err, raw)
			}
			for _, s := range list.Sessions {
				listed = append(listed, s.ID)
				if s.State != "idle" {
					t.Errorf("life %d: session %s is %s", n, s.ID, s.State)
				}
			}
			l.wait("90s")
			l.end()
			for _, bad := range h.logs().Broken(false) {
				t.Errorf("life %d: %s", n, bad)
			}
			h.taken(h.logs())
			h.effects(h.logs())
			h.checkpoints(h.logs())
			h.chains()
			for _, bad := range h.model.Problems() {
				t.Error(bad)
			}
		})
	}
	// Newest first, as the clock has it.
	if got := strings.Join(listed, " "); got != "0002 0001 0002 0003 0001 0004 0001 0002 0003" {
		t.Errorf("listed %s", got)
	}
}

func (h *premises) artifacts() []string {
	files, err := filepath.Glob(filepath.Join(h.env.Vault, ".agent-output", "0001", "*"))
	if err != nil {
		h.t.Fatal(err)
	}
	return files
}
