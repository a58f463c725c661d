package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// maxAccepted is how many rules of a workspace are remembered with the files that
// commands under them start, and how many files of one rule. Of what is forgotten a
// person is asked once more.
const maxAccepted = 256

// AcceptedOptions are what an Accepted is told of the workspace.
type AcceptedOptions struct {
	Disk *durable.Disk
	// Hash names the whole content of a file by its object, "" where there is none.
	Hash func(object string) string
	// Keep keeps the content of a file for some days, so that a later question can show
	// what is different. nil: it is not kept.
	Keep func(object string)
	// Unfollowed says that something of the agent runs whose changes nobody sees, such
	// as a job.
	Unfollowed func() bool
}

// Accepted are the files that commands start, as they were when a person said yes for
// longer than once, and whether the agent has changed them since: of one workspace,
// in <home>/accepted. A file that cannot be read or written accepts nothing. Every
// method is safe for concurrent use; a nil Accepted knows nothing.
type Accepted struct {
	path string
	opts AcceptedOptions

	mu     sync.Mutex // guards everything below
	rules  []acceptedRule
	stamp  durable.Stamp
	busy   int  // calls that may be changing files
	failed bool // it could not be written, so that what it says does not count
}

// acceptedRule is one rule, those that were answered last at the end.
type acceptedRule struct {
	By      string                          `json:"by"`
	Pattern string                          `json:"pattern"`
	Files   map[string]control.AcceptedFile `json:"files"`
}

func (r acceptedRule) name() control.AcceptedRule {
	return control.AcceptedRule{By: r.By, Pattern: r.Pattern}
}

// OpenAccepted is what people have accepted in a workspace.
func OpenAccepted(home, workspace string, opts AcceptedOptions) *Accepted {
	return &Accepted{path: filepath.Join(home, "accepted", filepath.Base(workspace)+".json"), opts: opts}
}

// Snapshot is what holds now for a session.
func (a *Accepted) Snapshot(session string) control.Accepted {
	out := control.Accepted{Session: session}
	if a == nil {
		return out
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refresh()
	out.Unsettled = a.unsettled()
	if a.failed || len(a.rules) == 0 {
		return out
	}
	out.Files = map[control.AcceptedRule]map[string]control.AcceptedFile{}
	for _, r := range a.rules {
		out.Files[r.name()] = maps.Clone(r.Files)
	}
	return out
}

// Accept remembers that a person said yes to rules while their commands start these
// files. What may be changing meanwhile must be as it is now to be covered.
func (a *Accepted) Accept(rules []control.AcceptedRule, files []tool.StartedFile) error {
	if a == nil || len(files) == 0 {
		return nil
	}
	for _, f := range files {
		if a.opts.Keep != nil && f.Object != "" {
			a.opts.Keep(f.Object)
		}
	}
	return a.change(func() bool {
		for _, name := range rules {
			i := slices.IndexFunc(a.rules, func(r acceptedRule) bool { return r.name() == name })
			r := acceptedRule{name.By, name.Pattern, map[string]control.AcceptedFile{}}
			if i >= 0 {
				if len(a.rules[i].Files)+len(files) <= maxAccepted {
					r.Files = a.rules[i].Files
				}
				a.rules = slices.Delete(a.rules, i, i+1)
			}
			for _, f := range files {
				if f.Object != "" {
					r.Files[f.Object] = control.AcceptedFile{Hash: f.Hash, Changed: a.unsettled()}
				}
			}
			a.rules = append(a.rules, r)
		}
		a.rules = a.rules[max(0, len(a.rules)-maxAccepted):]
		return true
	})
}

// Act is told of a call that may change files before it does anything. done is called
// behind it: what is not as it was then, the agent has changed.
func (a *Accepted) Act() (done func()) {
	if a == nil {
		return func() {}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.busy++
	a.refresh()
	before := a.hashes()
	return func() {
		a.mu.Lock()
		a.busy--
		a.refresh()
		now := a.hashes()
		all := a.opts.Unfollowed != nil && a.opts.Unfollowed()
		a.mu.Unlock()
		a.mark(func(object string) bool { was, seen := before[object]; return all || seen && was != now[object] })
	}
}

// Doubt notes that the agent may have changed anything, and nobody has seen what.
func (a *Accepted) Doubt() {
	if a != nil {
		a.mark(func(string) bool { return true })
	}
}

// mark notes of files that the agent has changed them. Where that cannot be kept,
// nothing is accepted any more.
func (a *Accepted) mark(changed func(object string) bool) {
	pending := func() (some bool) {
		for _, r := range a.rules {
			for object, f := range r.Files {
				if !f.Changed && changed(object) {
					f.Changed, some = true, true
					r.Files[object] = f
				}
			}
		}
		return some
	}
	a.mu.Lock()
	a.refresh()
	some := pending()
	a.mu.Unlock()
	if !some {
		return
	}
	if a.change(pending) != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.failed = os.Remove(a.path) != nil
		a.rules, a.stamp = nil, durable.Stamp{}
	}
}

// unsettled is Accepted.Unsettled of control. The lock is held.
func (a *Accepted) unsettled() bool {
	return a.busy > 0 || a.opts.Unfollowed != nil && a.opts.Unfollowed()
}

// hashes are the files as they are. The lock is held.
func (a *Accepted) hashes() map[string]string {
	out := map[string]string{}
	for _, r := range a.rules {
		for object := range r.Files {
			if _, known := out[object]; !known {
				out[object] = a.opts.Hash(object)
			}
		}
	}
	return out
}

// refresh reads the file where another process has written it. The lock is held.
func (a *Accepted) refresh() {
	stamp := durable.StampOf(a.path)
	if stamp == a.stamp {
		return
	}
	a.stamp, a.rules = stamp, nil
	_ = a.load() // what cannot be read accepts nothing
}

// load reads the file. The lock is held.
func (a *Accepted) load() error {
	raw, err := os.ReadFile(a.path)
	if errors.Is(err, fs.ErrNotExist) {
		a.rules = nil
		return nil
	}
	if err != nil {
		return err
	}
	var rules []acceptedRule
	if err := json.Unmarshal(raw, &rules); err != nil {
		return err
	}
	a.rules = slices.DeleteFunc(rules, func(r acceptedRule) bool { return r.Files == nil })
	return nil
}

// change reads what other processes have written, changes it and writes it back; not
// where f says that nothing is different.
func (a *Accepted) change(f func() bool) error {
	if err := a.opts.Disk.MkdirAll(filepath.Dir(a.path), 0o700); err != nil {
		return fmt.Errorf("remember the files of an answer: %w", err)
	}
	l, err := durable.LockBeside(a.path)
	if err != nil {
		return fmt.Errorf("remember the files of an answer: %w", err)
	}
	defer l.Close()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rules = nil
	_ = a.load() // what cannot be read accepts nothing, and is written anew
	if !f() {
		return nil
	}
	raw, err := json.Marshal(a.rules)
	if err == nil {
		err = a.opts.Disk.WriteFile(a.path, append(raw, '\n'), 0o600)
	}
	if err != nil {
		a.stamp = durable.Stamp{Exists: true} // to be read again
		return fmt.Errorf("remember the files of an answer: %w", err)
	}
	a.stamp, a.failed = durable.StampOf(a.path), false
	return nil
}
