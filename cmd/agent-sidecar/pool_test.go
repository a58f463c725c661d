package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// The name of a machine is one that Kubernetes takes, is the same each time and nobody
// else's, and says nothing that a person or a model has written.
func TestPoolNames(t *testing.T) {
	c := claims{&durable.Disk{}, "/home/a/.agent-sidecar"}
	valid := regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
	seen := map[string]bool{}
	for _, of := range [][3]string{
		{"pods", "secret-plan-1234abcd", "0001"}, {"pods", "secret-plan-1234abcd", "0002"}, {"pods", "other-1234abcd", "0001"}, {"other", "secret-plan-1234abcd", "0001"},
		{"pods", "secret-plan-1234abcd", "../../x"}, {"pods", "secret-plan-1234abcd", "Plan"}, {"pods", "secret-plan-1234abcd", strings.Repeat("1", 300)}, {"pods", "secret-plan-1234abcd", ""},
	} {
		name := c.of(of[0], of[1], of[2]).Name
		if !valid.MatchString(name) || seen[name] || strings.Contains(name, "plan") {
			t.Errorf("%q: %s", of, name)
		}
		seen[name] = true
		if again := c.of(of[0], of[1], of[2]).Name; again != name {
			t.Errorf("%q: %s, then %s", of, name, again)
		}
	}
	if of := (claims{c.disk, "/home/b/.agent-sidecar"}).of("pods", "secret-plan-1234abcd", "0001").Name; seen[of] {
		t.Errorf("two homes have the machine %s", of)
	}
}

// A claim is abandoned when no process has it and its session works elsewhere, and that is
// all that is taken down.
func TestAbandonedClaims(t *testing.T) {
	c := claims{&durable.Disk{}, t.TempDir()}
	keep := func(workspace, session string, had bool) *claim {
		k := c.of("pods", workspace, session)
		if err := c.keep(k); err != nil {
			t.Fatal(err)
		}
		if !had {
			if err := k.release(); err != nil {
				t.Fatal(err)
			}
		}
		return k
	}
	keep("w", "0001", false) // works there
	mine := keep("w", "0002", true)
	gone, moved := keep("w", "0003", false), keep("w", "0004", false)
	keep("other", "0003", false)
	forged := filepath.Join(c.home, "claims", "x.json")
	if err := os.WriteFile(forged, []byte(`{"runner": "pods", "workspace": "w", "session": "9", "name": "$(reboot)"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	runnerOf := map[string]string{"0001": "pods", "0004": "other"}
	var names []string
	for _, k := range c.abandoned("w", runnerOf) {
		names = append(names, k.Name)
		if err := c.drop(k); err != nil {
			t.Error(err)
		}
	}
	if len(names) != 2 || !strings.Contains(strings.Join(names, " "), gone.Name) || !strings.Contains(strings.Join(names, " "), moved.Name) {
		t.Errorf("abandoned are %v, not %s and %s", names, gone.Name, moved.Name)
	}
	if err := mine.release(); err != nil {
		t.Fatal(err)
	}
	if again := c.abandoned("w", runnerOf); len(again) != 1 || again[0].Name != mine.Name {
		t.Errorf("then %v", again)
	} else if err := again[0].release(); err != nil {
		t.Error(err)
	}
}
