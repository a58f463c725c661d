package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBundleOfAGroup: what a group has said stays a group's where it is imported,
// whatever form the key of its log has; a person's stays a person's. No bundle takes the
// name of a group that is here.
func TestBundleOfAGroup(t *testing.T) {
	t.Parallel()
	s := scriptedShell(t, "", "say Yes.")
	s.serves(t, `{"sessionKey":"group:slack:team","prompt":"Hello.","await":true}`, `"stopReason":"end_turn"`)
	logs, err := filepath.Glob(filepath.Join(s.home, ".agent-sidecar", "sessions", "*", "0001", "events.jsonl"))
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	written, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	_, said, _ := bytes.Cut(written, []byte(`"key":"`))
	said, _, _ = bytes.Cut(said, []byte(`"`))
	for i, row := range []struct{ key, place string }{
		{string(said), "group:bundle:%s"},
		{"agent:main:slack:group:team", "group:bundle:%s"},
		{"nothing that is known", "group:bundle:%s"},
		{strings.Replace(string(said), "group:slack:team", "dm:slack:u1", 1), "session:%s"},
		{"agent:main:main", "session:%s"},
	} {
		s.write(t, logs[0], string(bytes.Replace(written, said, []byte(row.key), 1)))
		file := filepath.Join(filepath.Dir(s.dir), fmt.Sprintf("bundle%d.jsonl", i))
		for _, args := range [][]string{{"export", "0001", "-o", file}, {"import", file}} {
			if code, out, errs := s.run(t, "", args...); code != 0 {
				t.Fatalf("%s: %s: %d %s %s", row.key, args[0], code, out, errs)
			}
		}
		id := fmt.Sprintf("%04d", i+2)
		first, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(logs[0])), id, "events.jsonl"))
		line, _, _ := strings.Cut(string(first), "\n")
		group := strings.HasPrefix(row.place, "group:")
		if err != nil || !strings.Contains(line, "/agent:build/"+fmt.Sprintf(row.place, id)+`"`) || strings.Contains(line, `"group":true`) != group {
			t.Errorf("%s: %s %v", row.key, line, err)
		}
	}
}
