package config

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// A person is told once in a workspace, and again where that cannot be kept.
func TestTellOnce(t *testing.T) {
	disk, home := &durable.Disk{}, filepath.Join(t.TempDir(), "home")
	for _, row := range []struct {
		workspace, what string
		want            bool
	}{{"w-1", "a", true}, {"w-1", "a", false}, {"w-2", "a", true}, {"w-1", "b", true}, {"w-2", "a", false}} {
		if got := TellOnce(disk, home, row.workspace, row.what); got != row.want {
			t.Errorf("%+v: %v", row, got)
		}
	}
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if !TellOnce(disk, blocked, "w-1", "a") {
			t.Error("not told, and not kept")
		}
	}
}

// The first command counts, not the later ones, until a person has seen what was changed;
// another process knows it.
func TestUnaskedSince(t *testing.T) {
	disk, home := &durable.Disk{}, filepath.Join(t.TempDir(), "home")
	u := OpenUnasked(disk, home, "w-1")
	if _, known := u.Since(); known {
		t.Error("nothing has run")
	}
	first, second := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
	u.Begin(first)
	u.Begin(second)
	if since, known := OpenUnasked(disk, home, "w-1").Since(); !known || !since.Equal(first) {
		t.Errorf("%v %v", since, known)
	}
	u.Seen(second)
	if since, known := u.Since(); !known || !since.Equal(second) {
		t.Errorf("%v %v", since, known)
	}
	if _, known := OpenUnasked(disk, home, "w-2").Since(); known {
		t.Error("another workspace knows it")
	}
	if err := os.WriteFile(filepath.Join(home, "unasked", "w-1"), []byte("soon"), 0o600); err != nil {
		t.Fatal(err)
	}
	if since, known := u.Since(); !known || !since.IsZero() {
		t.Errorf("a file that says nothing: %v %v", since, known)
	}
	var none *Unasked
	none.Begin(first)
	none.Seen(first)
	if _, known := none.Since(); known {
		t.Error("nobody knows anything")
	}
}
