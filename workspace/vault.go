package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/artifact"
	"github.com/agent-sidecar/agent-sidecar/workspace/changes"
	"github.com/agent-sidecar/agent-sidecar/workspace/folders"
	"github.com/agent-sidecar/agent-sidecar/workspace/jobs"
	"github.com/agent-sidecar/agent-sidecar/workspace/problems"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
	"github.com/agent-sidecar/agent-sidecar/workspace/tracked"
)

// Folder is one workspace folder of the editor.
type Folder = folders.Folder

// Guarded tells what the names of a folder are to others.
type Guarded = shields.Guarded

// Options says where the Vault keeps what does not belong into the folders. All
// paths are absolute. The zero Options works: what needs a home then fails.
type Options struct {
	// Disk is the way to the disk of everything that the Vault itself changes; nil
	// is the plain one.
	Disk        *durable.Disk
	Home        string // the sidecar's home: checkpoints, fallback for artifacts
	UserHome    string // what `~` means; "" leaves `~` unexpanded
	ArtifactDir string // name inside the first folder; "" means ".agent-output"
	// KeepEnv names the variables that commands get beside those that are known to be
	// good, with patterns as in proc.Scrub; it is asked before each command. nil: none.
	KeepEnv func() []string
	// SecretEnv tells which variables commands do not get although their names are
	// good; it is asked for before each command. A name in KeepEnv has the last word.
	// nil: none.
	SecretEnv func() func(name, value string) bool
	// Prober finds the level that commands are confined at. nil: none.
	Prober *sandbox.Prober
	// Sandbox are its settings; it is asked before each command. nil: the
	// defaults.
	Sandbox func() sandbox.Settings
	// Guarded names the files that commands must not change.
	Guarded shields.Guarded
	// Sensitive tells whether a person would be asked before an object may be
	// read in that session; ls, glob and grep leave such files out and count
	// them. It is asked for once a search, and what it gives is called from
	// several goroutines. base is the object of the directory that is searched,
	// which was allowed, or "". nil: nothing is sensitive.
	Sensitive func(sessionID, base string) func(object string) bool
	// Pending is how much of the end of a text may be the beginning of a secret, in
	// bytes: so much of a line that a job has not finished is not shown. nil: nothing.
	Pending func(text string) int
	// Secrets finds the secrets of a text. nil: nothing is looked for.
	Secrets func(text string) []tool.Secret
	// Editor changes documents with unsaved text. nil: there is none, and they
	// are not changed.
	Editor Editor
}

// Vault is the open folders with the editor's unsaved buffers on top. The zero
// folders are legal: relative paths then fail with "no folder is open". Its
// methods are safe for concurrent use.
type Vault struct {
	disk                        *durable.Disk
	home, userHome, artifactDir string
	keepEnv                     func() []string
	secretEnv                   func() func(name, value string) bool
	prober                      *sandbox.Prober
	sandbox                     func() sandbox.Settings
	secrets                     secretReader
	editor                      Editor

	temps   sandbox.Temps // what commands have as /tmp
	keepers proc.Guards   // of commands

	folders folders.Set

	mu        sync.RWMutex // guards sensitive
	sensitive func(sessionID, base string) func(object string) bool

	// changing makes "check, then write" one step among our own calls.
	changing sync.Mutex
	turns    turns

	buffers   overlay
	problems  problems.Table
	tracker   changes.Tracker
	spool     spool // guarded by changing
	artifacts *artifact.Store
	jobs      jobs.Table

	closed  closedIndex
	shields *shields.Keeper
	kept    tracked.Cache

	boxMu sync.Mutex    // guards boxes
	boxes map[*box]bool // of the commands that run
}

// Open opens the folders. Folders that cannot be opened are left out and named
// in the error; the Vault is usable all the same and never nil.
func Open(folders []Folder, opt Options) (*Vault, error) {
	v := &Vault{
		disk: opt.Disk, home: opt.Home, userHome: opt.UserHome, artifactDir: opt.ArtifactDir,
		sensitive: opt.Sensitive, keepEnv: opt.KeepEnv, secretEnv: opt.SecretEnv,
		prober: opt.Prober, sandbox: opt.Sandbox, secrets: secretReader{pending: opt.Pending, find: opt.Secrets}, editor: opt.Editor,
		tracker: changes.Tracker{Marks: append(slices.Clone(shields.RepositoryNames), ".git")},
	}
	if v.sandbox == nil {
		v.sandbox = func() sandbox.Settings { return sandbox.Settings{} }
	}
	if v.keepEnv == nil {
		v.keepEnv = func() []string { return nil }
	}
	if v.secretEnv == nil {
		v.secretEnv = func() func(name, value string) bool { return nil }
	}
	if v.artifactDir == "" || v.artifactDir != filepath.Base(v.artifactDir) || v.artifactDir == "." || v.artifactDir == ".." {
		v.artifactDir = ".agent-output"
	}
	v.shields = shields.New(v.disk, &v.folders, opt.Guarded, v.artifactDir, opt.UserHome, &v.closed.notify)
	err := v.SetFolders(folders)
	atHome := ""
	if v.home != "" { // ids of sessions are unique within a workspace only
		atHome = filepath.Join(v.home, "artifacts", v.WorkspaceID())
	}
	v.artifacts = artifact.New(v.disk, artifactFolders{v}, v.artifactDir, atHome)
	return v, err
}

// Close ends the jobs and closes the folders. Plans made before fail when they run.
func (v *Vault) Close() error {
	v.jobs.Close()
	return errors.Join(v.keepers.Close(), v.SetFolders(nil), v.temps.RemoveAll(), v.closed.notify.Close(), v.closeSpool())
}

// SetFolders replaces the folders, as after didChangeWorkspaceFolders. A folder
// that stays keeps its handle. Plans whose paths now mean something else do
// nothing when they run. The error names the folders that were left out.
func (v *Vault) SetFolders(folders []Folder) error { return v.folders.Replace(folders) }

// Roots are the absolute, resolved paths of the folders, the first one first.
func (v *Vault) Roots() []string { return v.folders.Now().Paths() }

// Root is the absolute, resolved path of the first folder; "" without folders.
func (v *Vault) Root() string {
	if r := v.Roots(); len(r) > 0 {
		return r[0]
	}
	return ""
}

// Home is the sidecar's home as given in Options.
func (v *Vault) Home() string { return v.home }

// SetSensitive replaces Options.Sensitive.
func (v *Vault) SetSensitive(f func(sessionID, base string) func(object string) bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.sensitive = f
}

// sensitiveTo tells what a session may not read without a question: of a search
// below base, or of anything where that is "".
func (v *Vault) sensitiveTo(sessionID, base string) func(object string) bool {
	v.mu.RLock()
	f := v.sensitive
	v.mu.RUnlock()
	if f == nil {
		return func(string) bool { return false }
	}
	return f(sessionID, base)
}

// Artifacts are the large outputs that are kept as files.
func (v *Vault) Artifacts() *artifact.Store { return v.artifacts }

// artifactFolders is what an artifact.Store asks of a Vault.
type artifactFolders struct{ v *Vault }

func (f artifactFolders) First(do func(dir *os.Root, abs string) error) error {
	return f.v.folders.First(do)
}

func (f artifactFolders) Abs(path string) (string, error) {
	p, err := f.v.Path(path)
	return p.abs, err
}
