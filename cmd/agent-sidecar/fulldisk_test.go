//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/testclient/sample"
)

// TestADiskThatRefuses lets every kind of file refuse to be written, one kind at a
// time and all at once, from a prompt on or from the middle of its run, with no
// room (half of the bytes still fit), over the quota or broken. Every request is
// answered, somebody is told why, no file is in pieces, and when there is room again
// the next prompt works and the log is whole. Without -thorough it is one of five of these, by
// chance.
func TestADiskThatRefuses(t *testing.T) {
	knownProber()
	s, seed := stories[0], sample.Seed(t)
	t.Logf("AGENT_SIDECAR_SEED=%d", seed)
	for _, where := range []struct{ name, path string }{
		{"the log", "/events.jsonl"}, {"pre-images", "/checkpoints"}, {"artifacts", "/.agent-output|/artifacts"}, {"the audit", "/agent-audit"},
		{"the configuration", "/config.jsonc"}, {"the workspace", ".txt"}, {"what is said", "/messages.jsonl"}, {"the session's own description", "/info.json"},
		{"everything", ""},
	} {
		for _, how := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, errPlatter} {
			for _, from := range []string{"the prompt", "the first question", "the session"} {
				name := fmt.Sprintf("%s/%v/%s", where.name, how, from)
				if !sample.Chosen(seed, 5, name) {
					continue
				}
				s.inPremises(t, name, func(h *premises) { h.refuse(where.path, how, from) })
			}
		}
	}
}

// errPlatter is a disk that takes everything and keeps nothing.
var errPlatter = errors.New("the platter is gone")

// refusal is what a full or broken disk says to a step.
func refusal(op durable.Op, how error) error {
	if how == errPlatter {
		if op == durable.OpSync || op == durable.OpSyncTemp {
			return how
		}
		return nil
	}
	switch op {
	case durable.OpAppend, durable.OpTemp, durable.OpWrite:
		if how != syscall.EIO {
			return tornBy{how}
		}
		return how
	case durable.OpSync, durable.OpSyncTemp:
		if how == syscall.EIO {
			return how
		}
	case durable.OpMkdir, durable.OpCreate, durable.OpKeepTorn:
		return how
	}
	return nil
}

// tornBy is a write that stops in the middle for a reason of the system.
type tornBy struct{ why error }

func (e tornBy) Error() string { return e.why.Error() }
func (e tornBy) Unwrap() []error {
	return []error{e.why, durable.Torn{Half: true}}
}

func (h *premises) refuse(path string, how error, from string) {
	t := h.t
	disk := &durable.Disk{}
	var full atomic.Bool
	var refused atomic.Int64
	disk.Fail(func(op durable.Op, at string) error {
		if !full.Load() || !slices.ContainsFunc(strings.Split(path, "|"), func(p string) bool { return strings.Contains(at, p) }) {
			return nil
		}
		err := refusal(op, how)
		if err != nil {
			refused.Add(1)
		}
		return err
	})
	l := h.live(disk)
	l.hello()
	if from != "the session" {
		l.ask("agent/run", `{"prompt": "Go on first."}`)
	}
	first := `{"prompt": "One.", "clientMessageId": "m-1"}`
	switch from {
	case "the prompt":
		full.Store(true)
		first = strings.Replace(first, "{", `{"sessionId": "0001", `, 1)
	case "the session":
		full.Store(true)
	case "the first question":
		first = strings.Replace(first, "{", `{"sessionId": "0001", `, 1)
		answers := h.story.answers
		h.story.answers = nil
		l.ask("agent/run", first)
		h.story.answers = answers
		full.Store(true)
		for _, e := range h.events {
			if e.Type == "approval.requested" {
				l.answer(e)
			}
		}
		l.settle()
	}
	if from != "the first question" {
		l.ask("agent/run", first)
	}
	l.wait("90s")
	h.answeredAll(l)
	quiet := how == errPlatter && (strings.Contains(path, "artifacts") || strings.Contains(path, "audit")) // kept elsewhere, or promised to nobody yet
	if refused.Load() > 0 && !quiet && !h.told(l, how) {
		t.Errorf("%d steps were refused, and nobody was told", refused.Load())
	}
	h.wholeFiles()
	full.Store(false)

	// There is room again: the same message is taken, once, and the next one too.
	l.ask("agent/run", first)
	l.wait("90s")
	sessions := sessionsOf(h.logs())
	if len(sessions) != 1 {
		t.Errorf("sessions %v", sessions)
	}
	for _, id := range sessions {
		raw := l.ask("agent/run", fmt.Sprintf(`{"sessionId": %q, "prompt": "Go on."}`, id))
		if !strings.Contains(string(raw), `"started"`) {
			t.Errorf("with room again: %s", raw)
		}
	}
	l.wait("90s")
	h.answeredAll(l)
	h.idle(l)
	l.end()
	end := h.logs()
	for _, bad := range end.Broken(false) {
		t.Errorf("in the end: %s", bad)
	}
	last := end.Lines()[len(end.Lines())-1]
	if bodyOf(last).StopReason != "end_turn" {
		t.Errorf("the last run did not end well: %s", last.Raw)
	}
	h.effects(end)
	h.checkpoints(end)
	h.taken(end)
	h.chains()
	h.wholeFiles()
	for _, bad := range h.model.Problems() {
		t.Error(bad)
	}
}

func (h *premises) answeredAll(l *life) {
	for id, a := range l.asked {
		if _, answered := l.results[id]; !answered {
			h.t.Errorf("%s was never answered", a.method)
		}
	}
}

// told: the reason stands in an answer, a notice, a result or the end of the run,
// or in the program's own log where it costs nobody anything.
func (h *premises) told(l *life, how error) bool {
	for _, r := range l.client.Records() {
		if !r.Sent && strings.Contains(string(r.Frame), how.Error()) {
			if testing.Verbose() {
				h.t.Logf("%.300s", r.Frame)
			}
			return true
		}
	}
	return strings.Contains(l.proc.Stderr(), how.Error())
}

// wholeFiles: what could not be written is as it was, and what was written is whole.
func (h *premises) wholeFiles() {
	for name, old := range h.story.files {
		if !strings.HasSuffix(name, ".txt") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(h.env.Vault, name))
		now := mark.ReplaceAllString(string(text), "")
		if err != nil || strings.ReplaceAll(now, "  ", " ") != old {
			h.t.Errorf("%s holds %q (%v), and held %q", name, text, err, old)
		}
	}
	config, err := os.ReadFile(filepath.Join(h.sidecar(), "config.jsonc"))
	if err != nil || !json.Valid(config) {
		h.t.Errorf("the configuration holds %q (%v)", config, err)
	}
	temps, _ := filepath.Glob(filepath.Join(h.env.Vault, ".agent-*.tmp"))
	more, _ := filepath.Glob(filepath.Join(h.sidecar(), "*", "*", "*", durable.TempPattern))
	if temps = slices.Concat(temps, more); len(temps) > 0 {
		h.t.Errorf("left behind: %v", temps)
	}
}
