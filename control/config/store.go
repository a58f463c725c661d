// Package config is the person's files: the configuration, the agents, the tools
// and hooks that they name. It reads them, says what is wrong where, and writes
// what a person has answered. What follows for a call is control's to decide.
package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/secrets"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Options are what the one who starts the process says.
type Options struct {
	// Disk is the way to the disk; nil is the plain one.
	Disk *durable.Disk
	// TrustClient makes inline configuration act at once and trusts every folder:
	// the person who wrote the command line said so.
	TrustClient bool
	// Agents are the built-in ones with their prompts; nil: BuiltInAgents, which have none.
	Agents []Agent
	// Tools are the names of the tools that there are, so that an agent's file which names
	// another is warned about; nil: none is.
	Tools []string
	// Network says what is wrong with the files that Settings.Network names; nil: nothing is.
	Network func(*Settings) []error
	// Inline and ClientTrust are what the client sent with its start, as SetInline and
	// SetClientTrust take it. nil: nothing.
	Inline      json.RawMessage
	ClientTrust *bool
	// Arguments are what the command line says. No client sends Inline then.
	Arguments Arguments
}

// Store is the configuration of one process: the user's file
// `<home>/config.jsonc` and the inline layer over it. It is one of the three
// places of this package that touch the world. Every method is safe for
// concurrent use; a snapshot never changes.
type Store struct {
	path string
	opts Options

	mu       sync.Mutex // guards everything below
	user     *document  // the last good one
	read     bool       // there has been a good one, or no file
	broken   *Diagnostic
	stamp    durable.Stamp
	agents   agentFolder
	inline   *document
	typed    *document // of the command line
	raw      []byte    // the inline layer, canonical
	badLine  *Diagnostic
	now      *Settings
	changed  chan struct{}
	clientOK bool // the editor says the folder is trusted
	reported map[string][]Diagnostic
	unasked  struct { // as the home was at Open
		word string
		asks bool
	}
}

// Open reads `<home>/config.jsonc`. A file that is broken or not there is
// no error: the defaults apply and Diagnostics says why. Where it is broken, what
// it forbids is not known, so every call asks (Settings.Unread).
func Open(home string, opts Options) (*Store, error) {
	if home == "" {
		return nil, errors.New("open the configuration: there is no home directory")
	}
	if opts.Agents == nil {
		opts.Agents = BuiltInAgents()
	}
	s := &Store{path: filepath.Join(home, "config.jsonc"), opts: opts, user: &document{source: "config"}, changed: make(chan struct{}),
		agents: agentFolder{dir: filepath.Join(home, "agents"), builtIn: opts.Agents, tools: opts.Tools}}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unasked.word, s.unasked.asks = homeDefault(home)
	s.clientOK = opts.ClientTrust != nil && *opts.ClientTrust
	s.takeInline(opts.Inline)
	s.reload()
	var err error
	if s.typed, err = readArguments(opts.Arguments, s.user); err != nil {
		return nil, &ArgumentError{err}
	}
	if name := opts.Arguments.Profile; name != "" {
		if _, err := s.user.chosen(name); err != nil {
			return nil, &ArgumentError{err}
		}
	}
	s.agents.look()
	s.rebuild()
	return s, nil
}

// Path is the absolute name of the user's file.
func (s *Store) Path() string { return s.path }

// Settings is the current snapshot.
func (s *Store) Settings() *Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// Changed returns a channel that is closed at the next change, so that open
// questions are judged again. Ask for it before looking.
func (s *Store) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// Reload reads the file, and those of the agents, again if they changed; it costs
// one stat a file otherwise. It is called between turns. A broken file leaves the
// last good one in force.
func (s *Store) Reload() (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	agents := s.agents.look()
	if s.stamp == durable.StampOf(s.path) && !agents {
		return false
	}
	if s.stamp != durable.StampOf(s.path) {
		s.reload()
	}
	s.announce()
	return true
}

// readAgain is Reload for who knows that something was written, perhaps within the
// same tick of the clock of the disk as what was read last.
func (s *Store) readAgain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	agents := s.agents.look()
	text, at, broken := s.user.text, s.stamp, s.broken
	s.reload()
	same := s.broken == broken || s.broken != nil && broken != nil && *s.broken == *broken
	if agents || !same || s.stamp != at || !bytes.Equal(text, s.user.text) {
		s.announce()
	}
}

// reload reads the file. The lock is held.
func (s *Store) reload() {
	s.stamp, s.broken = durable.StampOf(s.path), nil
	text, err := readFile(s.path)
	if err == nil {
		var d *document
		if d, err = readDocument("config", text); err == nil {
			d.file = s.path
			for i := range d.diagnostics {
				d.diagnostics[i].File = s.path
			}
			s.user, s.read = d, true
			return
		}
	}
	holds := "; the last good configuration stays in use"
	if !s.read {
		holds = "; using defaults, and asking before every call, until the file is fixed"
	}
	s.broken = &Diagnostic{Source: "config", File: s.path, Line: 1, Column: 1, Severity: "error", Message: err.Error() + holds}
	if p, ok := errors.AsType[placed](err); ok {
		s.broken.Line, s.broken.Column, s.broken.Lead = p.line, p.column, p.lead
		s.broken.Message = p.err.Error() + holds
	}
	s.broken.Message = secrets.Redact(s.broken.Message) // it may quote a key that lacks its quotes
}

// readFile reads at most one byte more than is allowed. No file is an
// empty configuration. Its errors do not name the file: anyone who shows them does.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, unreadable(err)
	case !info.Mode().IsRegular():
		return nil, unreadable(errors.New("it is not a regular file"))
	case info.Size() > maxBytes:
		return nil, tooLarge()
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, unreadable(err)
	}
	return text, nil
}

// unreadable is why the configuration cannot be read, without its name.
func unreadable(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	return fmt.Errorf("read the configuration: %w", err)
}

// rebuild makes a new snapshot. The lock is held.
func (s *Store) rebuild() {
	hash := ""
	if s.inline != nil {
		sum := sha256.Sum256(s.raw)
		hash = hex.EncodeToString(sum[:])
	}
	accepted := s.opts.TrustClient || slices.Contains(s.accepted(), hash) && hash != ""
	over := s.inline
	if s.typed != nil {
		over, accepted = s.typed, true
	}
	s.now = build(s.defaultsHere(), s.user, over, accepted)
	s.now.UnaskedOpen = s.unasked.asks && s.now.Origin[autoAllow] == "default"
	s.now.Unread = s.user.unread
	if !s.read {
		s.now.Unread = "config.jsonc cannot be read"
	}
	if name := s.opts.Arguments.Profile; name != "" {
		profile, err := s.user.chosen(name)
		if err != nil { // it was there at the start
			s.now.Unread = err.Error()
		}
		s.now.follow(profile, s.typed)
	}
	s.now.InlineHash = hash
	s.now.InlineText = control.Title(string(s.raw), 0) // a person says yes to what is there, not to what it looks like
	s.now.places = placesOf(s.user, s.path)
	s.lookAtNetwork()
	for i := range s.now.Diagnostics {
		if s.now.Diagnostics[i].Source == "config" {
			s.now.Diagnostics[i].File = s.path
		}
	}
	agents, problems := s.agents.roster()
	s.now.Agents, s.now.Diagnostics = agents, append(s.now.Diagnostics, problems...)
	for _, d := range []*Diagnostic{s.broken, s.badLine} {
		if d != nil {
			s.now.Diagnostics = append([]Diagnostic{*d}, s.now.Diagnostics...)
		}
	}
	s.addReported()
}

func (s *Store) accepted() []string {
	var hashes []string
	if raw := s.user.values["trust.inline"]; raw != nil && json.Unmarshal(raw, &hashes) != nil {
		return nil
	}
	return hashes
}

// announce rebuilds and wakes everybody who waits. The lock is held.
func (s *Store) announce() {
	s.rebuild()
	close(s.changed)
	s.changed = make(chan struct{})
}

// SetInline replaces the inline layer: a JSON object as the client sent it, or
// its member agentSidecar where the caller unwrapped it; nil or null removes it.
// What it widens waits for AcceptInline. A broken one is a diagnostic and the
// one before goes on.
func (s *Store) SetInline(raw json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takeInline(raw)
	s.announce()
}

// takeInline reads an inline layer. The lock is held.
func (s *Store) takeInline(raw json.RawMessage) {
	if len(raw) == 0 || string(raw) == "null" {
		s.inline, s.raw, s.badLine = nil, nil, nil
		return
	}
	doc, err := readDocument("inline", raw)
	if err != nil {
		s.badLine = &Diagnostic{Source: "inline", Severity: "error", Message: "the editor's configuration cannot be used: " + err.Error()}
		return
	}
	canonical := []byte(raw)
	if c, err := tool.Canonical(raw); err == nil {
		canonical = c
	}
	s.inline, s.raw, s.badLine = doc, canonical, nil
}

// SetClientTrust remembers, for this process, that the editor's own workspace
// trust covers the folders (marker clients only).
func (s *Store) SetClientTrust(trusted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clientOK != trusted {
		s.clientOK = trusted
		s.announce()
	}
}

// Trusted says whether a person trusted the folder, by its absolute path. A
// folder inside a trusted one is not trusted by that.
func (s *Store) Trusted(root string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opts.TrustClient || s.clientOK || root != "" && slices.Contains(s.now.trustedRoots, filepath.Clean(root))
}

// linked is the file behind links, also where it is not there yet: a configuration
// that is kept elsewhere stays a link.
func linked(path string) string {
	for range 40 { // as many as the system follows
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real
		}
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil && !filepath.IsAbs(to) {
			to = filepath.Join(dir, to)
		}
		path = to
	}
	return path
}

// edit changes the file under its lock: it reads what is there now, so that two
// processes writing at once both survive, replaces it atomically, and announces
// the change. Everything the change does not name stays byte for byte. A file
// that cannot be read as configuration is never written over.
func (s *Store) edit(what string, change func([]byte) ([]byte, error)) error {
	if err := s.opts.Disk.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	l, err := durable.LockBeside(s.path)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	defer l.Close()
	path := linked(s.path)
	text, err := readFile(path)
	if err != nil {
		return fmt.Errorf("%s in %s: %w", what, s.path, err)
	}
	next, err := change(text)
	if err != nil {
		return fmt.Errorf("%s in %s: %w", what, s.path, err)
	}
	if !bytes.Equal(next, text) {
		if _, err := readDocument("config", next); err != nil {
			return fmt.Errorf("%s in %s: the result would not be valid: %w", what, s.path, err)
		}
		if err := s.opts.Disk.WriteFile(path, next, 0o600); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reload()
	s.announce()
	return nil
}
