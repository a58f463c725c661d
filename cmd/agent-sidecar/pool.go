package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// claim is one machine of a pool: what a session was given, or is being given, by the
// command up of a runner. It is written down before that command begins and removed when
// down has ended, so that a crash in between leaves a name to take down.
type claim struct {
	Runner    string `json:"runner"`
	Workspace string `json:"workspace"` // its id
	Session   string `json:"session"`
	Name      string `json:"name"` // in place of {name}

	path string
	lock *durable.Lock // while this process has it
}

// claims are those of one home.
type claims struct {
	disk *durable.Disk
	home string
}

// plainID are ids of sessions that may be part of a name.
var plainID = lazy.Regexp(`^[a-z0-9]{1,16}$`)

// nameOf is a name for the machine of a session that no other session has, of any home and
// any machine as far as they have names of their own. Nothing in it is a text of a person
// or of a model.
func (c claims) nameOf(runner, workspace, session string) string {
	host, _ := os.Hostname() // without one the home has to differ
	sum := sha256.Sum256([]byte(strings.Join([]string{host, c.home, runner, workspace, session}, "\x00")))
	name := "agent-"
	if plainID().MatchString(session) {
		name += session + "-"
	}
	return name + hex.EncodeToString(sum[:10])
}

// of is the claim of a session, which need not be written down yet.
func (c claims) of(runner, workspace, session string) *claim {
	k := &claim{Runner: runner, Workspace: workspace, Session: session, Name: c.nameOf(runner, workspace, session)}
	k.path = filepath.Join(c.home, "claims", k.Name+".json")
	return k
}

// keep writes a claim down, and locks it for this process: it waits until one that is being
// taken down is gone.
func (c claims) keep(k *claim) error {
	err := c.disk.MkdirAll(filepath.Dir(k.path), 0o700)
	for err == nil && (k.lock == nil || k.lock.Lost()) {
		err = k.release()
		if err == nil {
			k.lock, err = c.disk.Lock(k.path + ".lock")
		}
	}
	text, badText := json.Marshal(k)
	if err = errors.Join(err, badText); err == nil {
		err = c.disk.WriteFile(k.path, append(text, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("write down what is claimed: %w", err)
	}
	return nil
}

// kept says that a claim is written down.
func (k *claim) kept() bool {
	_, err := os.Lstat(k.path)
	return err == nil
}

// drop forgets a claim that was taken down.
func (c claims) drop(k *claim) error {
	var errs []error
	for _, path := range []string{k.path, k.path + ".lock"} {
		if err := c.disk.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, k.release())...)
}

// release lets others have what was claimed; it stays written down.
func (k *claim) release() error {
	if k.lock == nil {
		return nil
	}
	lock := k.lock
	k.lock = nil
	return lock.Close()
}

// mostClaim is the longest claim that is read, in bytes.
const mostClaim = 4 << 10

// abandoned are the claims of a workspace that no process has and whose sessions are not
// there any more, or work elsewhere. They are locked.
func (c claims) abandoned(workspace string, runnerOf map[string]string) (out []*claim) {
	paths, _ := filepath.Glob(filepath.Join(c.home, "claims", "*.json")) // of a pattern that is none: nothing
	for _, path := range paths {
		text, err := durable.ReadFile(path, mostClaim)
		k := &claim{}
		if err != nil || json.Unmarshal(text, k) != nil || k.Workspace != workspace || runnerOf[k.Session] == k.Runner {
			continue
		}
		if k.path = path; filepath.Base(path) != k.Name+".json" || !validName().MatchString(k.Name) {
			continue
		}
		if k.lock, err = c.disk.TryLock(path + ".lock"); err == nil {
			out = append(out, k)
		}
	}
	return out
}

// validName are names of claims, which are words of commands.
var validName = lazy.Regexp(`^[a-z0-9-]{1,63}$`)
