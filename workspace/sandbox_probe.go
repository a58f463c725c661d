package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/durable"
	"github.com/agent-sidecar/agent-sidecar/proc"
)

// probing is how long one level may take to start a program that does nothing.
const probing = 3 * time.Second

// bubblewraps are where bubblewrap may lie. PATH is not asked: a project may
// have led it into itself.
var bubblewraps = []string{"/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"}

// Prober finds the best level that works here by really running a program at
// each, best first (ruling 78), once in a process. What it found is also kept in
// the sidecar's home for the next start on the same boot, because initialize
// tells it and cannot wait. The zero Prober remembers nothing beyond its own
// life; a nil one finds none. Its methods are safe for concurrent use.
type Prober struct {
	home string

	mu    sync.Mutex // guards found
	found *level
}

// NewProber makes a prober that remembers in the sidecar's home.
func NewProber(home string) *Prober { return &Prober{home: home} }

// Sandbox is what commands get under these settings.
func (p *Prober) Sandbox(s SandboxSettings) Sandbox {
	if s.Mode == "off" {
		return level{}.report(s)
	}
	return p.best().report(s)
}

// best probes if nobody has yet.
func (p *Prober) best() level {
	if p == nil {
		return level{Name: proc.None}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found == nil {
		p.found = p.find()
	}
	return *p.found
}

// forget makes the next start probe again: a level that worked did not. This
// process stays at it, and its commands fail, because it has told clients so: a
// sandbox that was promised is never silently weaker.
func (p *Prober) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.home != "" {
		os.Remove(p.file())
	}
}

func (p *Prober) find() *level {
	key := machineKey()
	if l, ok := p.remembered(key); ok {
		return l
	}
	return p.first(key, candidates())
}

// first is the first of levels that works. It is remembered unless a better one ran
// out of time: a busy machine has not shown that it cannot have that one.
func (p *Prober) first(key string, levels []level) *level {
	late := false
	for _, l := range levels {
		err := probe(l)
		if err == nil {
			if !late {
				p.remember(key, l)
			}
			return &l
		}
		late = late || errors.Is(err, context.DeadlineExceeded)
	}
	return &level{Name: proc.None} // not remembered: it may be repaired
}

// candidates are the levels of this system, best first.
func candidates() []level {
	var all []level
	switch runtime.GOOS {
	case "linux":
		for _, path := range bubblewraps {
			if isProgram(path) {
				all = append(all, level{proc.Namespaces, path})
				break
			}
		}
		all = append(all, level{proc.Namespaces, ""})
		if landlockABI() > 0 {
			all = append(all, level{proc.Landlock, ""})
		}
	case "darwin":
		all = append(all, level{proc.Seatbelt, ""})
	}
	return all
}

// probe runs a shell that does nothing, confined as commands are, in a directory
// of its own.
func probe(l level) error {
	dir, err := os.MkdirTemp("", "agent-sidecar-")
	if err != nil {
		return fmt.Errorf("probe the sandbox: %w", err)
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return fmt.Errorf("probe the sandbox: %w", err)
	}
	inner := filepath.Join(dir, "hidden")
	if err := os.Mkdir(inner, 0o700); err != nil {
		return fmt.Errorf("probe the sandbox: %w", err)
	}
	args, err := shellArgs("true")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), probing)
	defer cancel()
	c := proc.Confinement{Level: l.Name, Bubblewrap: l.Bubblewrap, Write: []string{dir}, Hidden: []string{inner}, Temp: dir}
	exit, _, err := execute(ctx, proc.Command{Args: args, Dir: dir, Env: []string{}, Confine: c}, io.Discard)
	if late := ctx.Err(); late != nil {
		return fmt.Errorf("probe the sandbox: %w", late)
	}
	if err == nil && exit.Code != 0 {
		err = fmt.Errorf("probe the sandbox: exit code %d", exit.Code)
	}
	return err
}

// memory is the file in the sidecar's home.
type memory struct {
	Key string `json:"key"`
	level
}

func (p *Prober) file() string { return filepath.Join(p.home, "sandbox.json") }

func (p *Prober) remembered(key string) (*level, bool) {
	if p.home == "" {
		return nil, false
	}
	text, err := os.ReadFile(p.file())
	if err != nil {
		return nil, false
	}
	var m memory
	if json.Unmarshal(text, &m) != nil || m.Key != key || m.Name == "" {
		return nil, false
	}
	return &m.level, true
}

// remember is of use only for the next start, so that it fails is no error.
func (p *Prober) remember(key string, l level) {
	text, err := json.Marshal(memory{key, l})
	if err == nil && p.home == "" {
		return
	}
	if err == nil {
		err = os.MkdirAll(p.home, 0o700)
	}
	if err == nil {
		_ = durable.WriteFile(p.file(), text, 0o600)
	}
}

// machineKey changes with whatever can change the answer: the boot, the
// namespaces this process is in, this binary, bubblewrap, and the one switch
// that distributions turn while the machine runs.
func machineKey() string {
	var b strings.Builder
	for _, path := range []string{"/proc/sys/kernel/random/boot_id", "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "/proc/sys/kernel/unprivileged_userns_clone", "/proc/sys/user/max_user_namespaces"} {
		text, _ := os.ReadFile(path)
		fmt.Fprintf(&b, "%s ", strings.TrimSpace(string(text)))
	}
	for _, link := range []string{"/proc/self/ns/user", "/proc/self/ns/mnt"} {
		to, _ := os.Readlink(link)
		fmt.Fprintf(&b, "%s ", to)
	}
	self, _ := os.Executable()
	for _, path := range append([]string{self}, bubblewraps...) {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintf(&b, "%s %d %d ", path, info.Size(), info.ModTime().UnixNano())
		}
	}
	fmt.Fprintf(&b, "uid %d landlock %d", os.Getuid(), landlockABI())
	return b.String()
}
