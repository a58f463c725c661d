package control

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

	"github.com/gofrs/flock"

	"github.com/agent-sidecar/agent-sidecar/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// StoreOptions are what the one who starts the process says.
type StoreOptions struct {
	// Disk is the way to the disk; nil is the plain one.
	Disk *durable.Disk
	// TrustClient makes inline configuration act at once and trusts every
	// folder: the person who wrote the command line said so (ruling 89, 113).
	TrustClient bool
}

// Store is the configuration of one process: the user's file
// `<home>/config.jsonc` and the inline layer over it (control §8). It is one of
// the three places of this package that touch the world (ruling 50). Every
// method is safe for concurrent use; a snapshot never changes.
type Store struct {
	path string
	opts StoreOptions

	mu       sync.Mutex // guards everything below
	user     *document  // the last good one
	broken   *Diagnostic
	stamp    stamp
	inline   *document
	raw      []byte // the inline layer, canonical
	badLine  *Diagnostic
	now      *Settings
	changed  chan struct{}
	clientOK bool // the editor says the folder is trusted
	reported map[string][]Diagnostic
}

// stamp tells one version of the file from another without reading it.
type stamp struct {
	exists  bool
	size    int64
	modTime int64
	inode   any
}

// OpenStore reads `<home>/config.jsonc`. A file that is broken or not there is
// no error: the defaults hold and Diagnostics says why.
func OpenStore(home string, opts StoreOptions) (*Store, error) {
	if home == "" {
		return nil, errors.New("open the configuration: there is no home directory")
	}
	s := &Store{path: filepath.Join(home, "config.jsonc"), opts: opts, user: &document{source: "config"}, changed: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reload()
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
// questions are judged again (protocol §4.4). Ask for it before looking.
func (s *Store) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// Reload reads the file again if it changed; it costs one stat otherwise. It is
// called between turns. A broken file leaves the last good one in force.
func (s *Store) Reload() (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stamp == stampOf(s.path) {
		return false
	}
	s.reload()
	s.announce()
	return true
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{true, info.Size(), info.ModTime().UnixNano(), inodeOf(info)}
}

// reload reads the file. The lock is held.
func (s *Store) reload() {
	s.stamp, s.broken = stampOf(s.path), nil
	text, err := readConfigFile(s.path)
	if err == nil {
		var d *document
		if d, err = readDocument("config", text); err == nil {
			for i := range d.diagnostics {
				d.diagnostics[i].File = s.path
			}
			s.user = d
			return
		}
	}
	s.broken = &Diagnostic{Source: "config", File: s.path, Line: 1, Column: 1, Severity: "error", Message: err.Error() + "; the last good configuration holds"}
	if p, ok := errors.AsType[placed](err); ok {
		s.broken.Line, s.broken.Column = p.line, p.column
		s.broken.Message = p.err.Error() + "; the last good configuration holds"
	}
}

// readConfigFile reads at most one byte more than is allowed. No file is an
// empty configuration.
func readConfigFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the configuration: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("read the configuration: %s is not a regular file", path)
	case info.Size() > maxConfigBytes:
		return nil, placed{1, 1, fmt.Errorf("the configuration is larger than %d KiB", maxConfigBytes>>10)}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	return text, nil
}

// rebuild makes a new snapshot. The lock is held.
func (s *Store) rebuild() {
	hash := ""
	if s.inline != nil {
		sum := sha256.Sum256(s.raw)
		hash = hex.EncodeToString(sum[:])
	}
	accepted := s.opts.TrustClient || slices.Contains(s.accepted(), hash) && hash != ""
	s.now = build(s.user, s.inline, accepted)
	s.now.InlineHash, s.now.InlineText = hash, string(s.raw)
	for i := range s.now.Diagnostics {
		if s.now.Diagnostics[i].Source == "config" {
			s.now.Diagnostics[i].File = s.path
		}
	}
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

// SetInline replaces the inline layer (ruling 24): a JSON object as the client
// sent it, or its member agentSidecar where the caller unwrapped it; nil or null
// removes it. What it widens waits for AcceptInline (ruling 89). A broken one is
// a diagnostic and the one before goes on.
func (s *Store) SetInline(raw json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(raw) == 0 || string(raw) == "null" {
		s.inline, s.raw, s.badLine = nil, nil, nil
		s.announce()
		return
	}
	doc, err := readDocument("inline", raw)
	canonical := []byte(raw)
	if err == nil {
		if c, cerr := tool.Canonical(raw); cerr == nil {
			canonical = c
		}
	}
	if err != nil {
		s.badLine = &Diagnostic{Source: "inline", Severity: "error", Message: "the editor's configuration cannot be used: " + err.Error()}
		s.announce()
		return
	}
	s.inline, s.raw, s.badLine = doc, canonical, nil
	s.announce()
}

// SetClientTrust remembers, for this process, that the editor's own workspace
// trust covers the folders (ruling 113; marker clients only).
func (s *Store) SetClientTrust(trusted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clientOK != trusted {
		s.clientOK = trusted
		s.announce()
	}
}

// Trusted says whether a person trusted the folder, by its absolute path
// (ruling 84). A folder inside a trusted one is not trusted by that.
func (s *Store) Trusted(root string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opts.TrustClient || s.clientOK || root != "" && slices.Contains(s.now.trustedRoots, filepath.Clean(root))
}

// lockFile takes the lock beside the file, waiting for another process that writes;
// it holds it for milliseconds.
func (s *Store) lockFile() (*flock.Flock, error) {
	if err := s.opts.Disk.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return nil, err
	}
	l := flock.New(s.path + ".lock")
	if err := l.Lock(); err != nil {
		return nil, fmt.Errorf("lock the configuration: %w", err)
	}
	return l, nil
}

// edit changes the file under its lock: it reads what is there now, so that two
// processes writing at once both survive, replaces it atomically, and announces
// the change. Everything the change does not name stays byte for byte. A file
// that cannot be read as configuration is never written over.
func (s *Store) edit(what string, change func([]byte) ([]byte, error)) error {
	l, err := s.lockFile()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	defer l.Close()
	path := s.path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // a configuration kept elsewhere stays a link
	}
	text, err := readConfigFile(path)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
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
