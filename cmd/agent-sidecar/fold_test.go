package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// checkFold opens the logs that a conversation has left with a fold of a part of each and
// without: the same follows. What makes a log so long that it gets a fold is an event that
// nobody knows. A log that cannot be read is another law's business.
func checkFold(t *testing.T, dir string, seed uint64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() != history.LogFile || !strings.Contains(path, "/.agent-sidecar/sessions/") {
			return err
		}
		if _, err := history.Replay(filepath.Dir(path)); err != nil {
			return nil
		}
		log, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines := bytes.SplitAfter(log, []byte("\n"))
		folded := int(seed % uint64(len(lines)))
		long := t.TempDir()
		if err := foldedUpTo(long, lines, folded); err != nil {
			t.Errorf("AGENT_SIDECAR_SEED=%d: %s, %d lines: %v", seed, path, folded, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// foldedUpTo writes a log with a fold of so many of its lines into a folder, and compares what
// follows from it with what follows without the fold.
func foldedUpTo(dir string, lines [][]byte, folded int) error {
	var out bytes.Buffer
	seq := int64(0)
	add := func(lines [][]byte) error {
		for _, line := range lines {
			if !bytes.HasSuffix(line, []byte("\n")) {
				continue // it is torn, or nothing
			}
			e, err := history.Decode(bytes.TrimSuffix(line, []byte("\n")))
			if _, unknown := e.Body.(history.Unknown); err != nil || unknown {
				continue
			}
			seq++
			e.Seq = seq
			again, err := e.Encode()
			if err != nil {
				return err
			}
			fmt.Fprintf(&out, "%s\n", again)
		}
		return os.WriteFile(filepath.Join(dir, history.LogFile), out.Bytes(), 0o600)
	}
	padding := []byte(`{"seq":1,"time":"2026-01-01T00:00:00.000Z","type":"session.dreamt","data":{"of":"` + strings.Repeat("z", 1<<19) + `"}}`)
	if err := add(lines[:folded]); err != nil {
		return err
	}
	for range 9 {
		seq++
		fmt.Fprintf(&out, "%s\n", bytes.Replace(padding, []byte(`"seq":1`), fmt.Appendf(nil, `"seq":%d`, seq), 1))
	}
	if err := add(nil); err != nil {
		return err
	}
	l, _, err := history.Open(nil, dir)
	if err != nil {
		return err
	}
	if err := l.Close(); err != nil {
		return err
	}
	if err := add(lines[folded:]); err != nil {
		return err
	}
	with, err := history.Replay(dir)
	if err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(dir, "events.fold")); err != nil {
		return fmt.Errorf("it got no fold: %w", err)
	}
	without, err := history.Replay(dir)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(with, without) {
		return fmt.Errorf("with a fold\n%+v\nwithout\n%+v", with, without)
	}
	return nil
}
