//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/audit"
)

// Bypass: whoever removes a session's log and its audit together leaves nothing that either
// of them would miss; and one strange file kept all others from being checked.
func TestBypassAuditRemovedWithItsSession(t *testing.T) {
	s := newShell(t, "")
	home := filepath.Join(s.home, ".agent-sidecar")
	root := filepath.Join(home, "logs", "agent-audit")
	sessions, err := audit.Open(nil, audit.SessionsPath(home))
	if err != nil {
		t.Fatal(err)
	}
	last := map[string]string{}
	for _, id := range []string{"0001", "0002", "0003", "0004"} {
		log, err := audit.Open(nil, audit.Path(home, "w-1", id))
		if err != nil {
			t.Fatal(err)
		}
		if err := sessions.Made("w-1", id); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if last[id], err = log.Append(audit.Entry{SessionID: id}); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.MkdirAll(filepath.Join(home, "sessions", "w-1", id), 0o700); err != nil {
			t.Fatal(err)
		}
		s.write(t, filepath.Join(home, "sessions", "w-1", id, "events.jsonl"), "")
	}
	for _, id := range []string{"0003", "0004"} {
		if err := sessions.Deleted("w-1", id, last[id]); err != nil {
			t.Fatal(err)
		}
		os.RemoveAll(filepath.Join(home, "sessions", "w-1", id))
	}
	at := func(id string) string { return filepath.Join(root, "w-1", id+".jsonl") }
	check := func(want int, says ...string) {
		t.Helper()
		code, out, errs := s.run(t, "", "audit", "verify")
		for _, one := range says {
			if code != want || !strings.Contains(out+errs, one) {
				t.Errorf("exit %d, want %d and %q\n%s%s", code, want, one, out, errs)
			}
		}
		if want == 0 && strings.Contains(out, "BAD") {
			t.Errorf("%s", out)
		}
	}
	check(0, "ok   "+at("0001")+": 2 lines", "ok   "+at("0003")+": 2 lines", "sessions.jsonl: 6 lines")

	os.RemoveAll(filepath.Join(home, "sessions", "w-1", "0001"))
	os.Remove(at("0001"))
	os.Remove(at("0004"))
	text, _ := os.ReadFile(at("0003"))
	line, _, _ := strings.Cut(string(text), "\n")
	s.write(t, at("0003"), line+"\n")
	for name, make := range map[string]func(string) error{
		"0007.jsonl":      func(at string) error { return syscall.Mkfifo(at, 0o600) },
		"0002.jsonl.lock": func(at string) error { os.Remove(at); return syscall.Mkfifo(at, 0o600) },
		"0008.jsonl":      func(at string) error { return os.Mkdir(at, 0o700) },
		"0009.jsonl":      func(link string) error { return os.Symlink(at("0002"), link) },
		"../w-2":          func(at string) error { return syscall.Mkfifo(at, 0o600) },
		"../w-3":          func(link string) error { return os.Symlink("w-1", link) },
	} {
		if err := make(filepath.Join(root, "w-1", name)); err != nil {
			t.Fatal(err)
		}
	}
	check(1, "session 0001 of w-1 was made on 2", "BAD  "+at("0003")+": the session's log names the line with hash "+last["0003"], "BAD  "+at("0004")+": ", "ok   "+at("0002")+": 2 lines",
		"0007.jsonl: it is a pipe, not a file", "0002.jsonl.lock: it is a pipe", "0008.jsonl: it is a directory", "0009.jsonl: it is a link", "w-2: it is a pipe, not the directory of a workspace", "w-3: it is a link")
}
