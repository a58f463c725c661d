package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// TellOnce says whether a person is to be told something in a workspace, and remembers
// that they were, in <home>/told. Where that cannot be kept they are told again.
func TellOnce(disk *durable.Disk, home, workspace, what string) bool {
	path := filepath.Join(home, "told", filepath.Base(workspace)+"."+what)
	if _, err := os.Lstat(path); err == nil {
		return false
	}
	if err := disk.MkdirAll(filepath.Dir(path), 0o700); err == nil {
		_ = disk.WriteCache(path, nil, 0o600) // to be told twice does no harm
	}
	return true
}

// Unasked remembers in <home>/unasked since when commands of a workspace may have changed,
// without a question, what nobody follows: since the first of them, and then since a person
// last said yes to a question that told what was changed. A nil Unasked knows nothing.
type Unasked struct {
	disk *durable.Disk
	path string
}

// OpenUnasked is what is known of a workspace.
func OpenUnasked(disk *durable.Disk, home, workspace string) *Unasked {
	return &Unasked{disk, filepath.Join(home, "unasked", filepath.Base(workspace))}
}

// Begin is told of a command before it runs.
func (u *Unasked) Begin(now time.Time) {
	if u == nil {
		return
	}
	if _, known := u.Since(); !known {
		u.Seen(now)
	}
}

// Seen is told of a yes to a question that was made at that time. Where it cannot be kept
// the next question tells more than it has to.
func (u *Unasked) Seen(at time.Time) {
	if u == nil || u.disk.MkdirAll(filepath.Dir(u.path), 0o700) != nil {
		return
	}
	_ = u.disk.WriteCache(u.path, []byte(at.UTC().Format(time.RFC3339Nano)+"\n"), 0o600)
}

// Since is that time; known is false where no command has run so. A file that says nothing
// is one from the beginning of time.
func (u *Unasked) Since() (since time.Time, known bool) {
	if u == nil {
		return time.Time{}, false
	}
	raw, err := os.ReadFile(u.path)
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, false
	}
	since, _ = time.Parse(time.RFC3339Nano, strings.TrimSpace(string(raw)))
	return since, true
}
