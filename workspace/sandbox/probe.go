package sandbox

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

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// probing is how long one level may take to start a program that does nothing.
const probing = 3 * time.Second

// bubblewraps are where bubblewrap may lie. PATH is not asked: a project may
// have led it into itself.
var bubblewraps = []string{"/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"}

// Prober finds the best level that works here by really running a program at
// each, best first, once in a process. What it found can also be kept in the
// sidecar's home for the next start on the same boot, because initialize tells it
// and cannot wait. The zero Prober remembers nothing beyond its own life; a nil one
// finds none. Its methods are safe for concurrent use.
type Prober struct {
	home string

	writing sync.Mutex // one at a time changes the file; taken before mu

	mu    sync.Mutex // guards everything below
	found *Level
	news  string // the key under which found is to be remembered; "": it need not be
}

// NewProber makes a prober that remembers in the sidecar's home.
func NewProber(home string) *Prober { return &Prober{home: home} }

// Report is what commands get under these settings.
func (p *Prober) Report(s Settings) Report {
	if s.Mode == "off" {
		return Level{}.report(s)
	}
	return p.best().report(s)
}

// At is a prober that has found this level.
func At(l Level) *Prober { return &Prober{found: &l} }

// For is the level of a command that wants this under these settings. It is none where
// there is none, unless the configuration or the agent requires one. What runs because
// the sandbox keeps it has every wall, or an error.
func (p *Prober) For(s Settings, w Policy) (Level, error) {
	if w.Sandbox != tool.NoSandbox {
		return p.whole(s, w)
	}
	if s.Mode == "off" || w.Needs.Has(tool.NeedUnconfined) {
		return Level{Name: proc.None}, nil
	}
	l := p.best()
	if l.Name == proc.None && s.Mode == "required" {
		if w.Bounds.Narrow() {
			return l, errors.New("no sandbox works on this machine, and the agent needs one; the command did not run")
		}
		return l, errors.New(`no sandbox works on this machine, and the configuration says sandbox.mode: "required"; the command did not run`)
	}
	return l, nil
}

// whole is the level of a command that nobody was asked about. What was true when it was
// decided may have changed.
func (p *Prober) whole(s Settings, w Policy) (Level, error) {
	why := ""
	switch r := p.Report(s); {
	case s.Mode == "off":
		why = "it is off"
	case r.Network != "off":
		why = "commands have the network"
	case len(w.Needs) > 0 || len(w.Opens) > 0:
		why = "the command needs more than it gives"
	case w.Wide:
		why = "sandbox.readable or sandbox.writable contains the home"
	case !r.Whole():
		why = "not every wall is available at level " + r.Level
	default:
		return p.best(), nil
	}
	return Level{Name: proc.None}, errors.New("the sandbox cannot keep this command: " + why + "; nothing was run")
}

// best probes if nobody has yet.
func (p *Prober) best() Level {
	if p == nil {
		return Level{Name: proc.None}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found == nil {
		p.found = p.find()
	}
	return *p.found
}

// Forget makes the next start probe again: a level that worked did not. This
// process stays at it, and its commands fail, because it has told clients so: a
// sandbox that was promised is never silently weaker.
func (p *Prober) Forget() {
	p.writing.Lock()
	defer p.writing.Unlock()
	p.mu.Lock()
	p.news = ""
	p.mu.Unlock()
	if p.home != "" {
		os.Remove(p.file())
	}
}

func (p *Prober) find() *Level {
	key := machineKey()
	if l, ok := p.remembered(key); ok {
		return l
	}
	return p.first(key, candidates())
}

// first is the first of levels that works. It may be remembered unless a better one ran
// out of time: a busy machine has not shown that it cannot have that one. mu is held.
func (p *Prober) first(key string, levels []Level) *Level {
	late := false
	for _, l := range levels {
		err := Probe(l)
		if err == nil {
			if !late {
				p.news = key
			}
			return &l
		}
		late = late || errors.Is(err, context.DeadlineExceeded)
	}
	return &Level{Name: proc.None} // not remembered: it may be repaired
}

// Bubblewrap is where bubblewrap is installed, "" nowhere.
func Bubblewrap() string {
	for _, path := range bubblewraps {
		if IsProgram(path) {
			return path
		}
	}
	return ""
}

// candidates are the levels of this system, best first. Bubblewrap comes behind
// namespaces of our own: it makes the same ones, takes longer to start, and is
// needed where a distribution lets only programs that it knows make any.
func candidates() []Level {
	var all []Level
	switch runtime.GOOS {
	case "linux":
		all = append(all, Level{proc.Namespaces, ""})
		if path := Bubblewrap(); path != "" {
			all = append(all, Level{proc.Namespaces, path})
		}
		if LandlockABI() > 0 {
			all = append(all, Level{proc.Landlock, ""})
		}
	case "darwin":
		all = append(all, Level{proc.Seatbelt, ""})
	}
	return all
}

// Probe runs a shell that does nothing, confined as commands are, in a directory
// of its own.
func Probe(l Level) error {
	var temp Temp
	dir, err := temp.Dir()
	if err != nil {
		return fmt.Errorf("probe the sandbox: %w", err)
	}
	defer temp.Remove()
	inner := filepath.Join(dir, "hidden")
	if err := os.Mkdir(inner, 0o700); err != nil {
		return fmt.Errorf("probe the sandbox: %w", err)
	}
	args, err := ShellArgs("true")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), probing)
	defer cancel()
	closed := filepath.Join(filepath.Dir(dir), tempClosed)
	c := proc.Confinement{
		Level: l.Name, Bubblewrap: l.Bubblewrap, Read: readPlaces("", nil), Write: []string{dir}, Hidden: []string{inner}, Closed: closed, Temp: dir,
	}
	exit, _, err := Execute(ctx, proc.Command{Args: args, Dir: dir, Env: []string{}, Confine: c}, io.Discard)
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
	Level
}

func (p *Prober) file() string { return filepath.Join(p.home, "sandbox.json") }

func (p *Prober) remembered(key string) (*Level, bool) {
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
	return &m.Level, true
}

// Remember keeps what was found since the last time. Nobody waits for it: it is of use
// only to the next start, which probes again where the file is not whole, so that it
// fails is no error either.
func (p *Prober) Remember(disk *durable.Disk) {
	if p == nil || p.home == "" {
		return
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	p.mu.Lock()
	key, found := p.news, p.found
	p.news = ""
	p.mu.Unlock()
	if key == "" {
		return
	}
	text, err := json.Marshal(memory{key, *found})
	if err == nil {
		err = disk.Do(durable.OpMkdir, p.home, func() error { return os.MkdirAll(p.home, 0o700) })
	}
	if err == nil {
		_ = disk.WriteCache(p.file(), text, 0o600)
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
	fmt.Fprintf(&b, "uid %d landlock %d", os.Getuid(), LandlockABI())
	return b.String()
}
