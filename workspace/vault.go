package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/artifact"
	"github.com/agent-sidecar/agent-sidecar/workspace/changes"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
)

// ProtectedNames tells what the names of a folder are to others.
type ProtectedNames = shields.Names

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
	// Skills are directories outside the folders that commands may read, as they are now; it is asked
	// before each command. nil: none.
	Skills func() []string
	// Protected names the files that commands must not change.
	Protected ProtectedNames
	// Pending is how much of the end of a text may be the beginning of a secret, in
	// bytes: so much of a line that a job has not finished is not shown. nil: nothing.
	Pending func(text string) int
	// Secrets finds the secrets of a text. nil: nothing is looked for.
	Secrets func(text string) []tool.Secret
	// Editor changes documents with unsaved text. nil: there is none, and they
	// are not changed.
	Editor Editor
	// Languages asks the editor's language servers. nil: there are none.
	Languages Languages
}

// Vault is the open folders with the editor's unsaved buffers on top. The zero
// folders are legal: relative paths then fail with "no folder is open". Its
// methods are safe for concurrent use.
//
// It is made of parts, and its methods are theirs. None of them knows the Vault: each has
// the parts that it needs.
type Vault struct {
	*places
	*documents
	*sandboxRuns
	*checkpoints
	*memories
	*undoer
	*guides
	*repositories
	*environment
	*closedFiles
	*follower
	*sandboxes
	*background

	secrets   secretReader
	languages Languages // nil: there are none
	artifacts *artifact.Store
}

// Open opens the folders. Folders that cannot be opened are left out and named
// in the error; the Vault is usable all the same and never nil.
func Open(folders []Folder, opt Options) (*Vault, error) {
	at := &places{disk: opt.Disk, home: opt.Home, userHome: opt.UserHome, artifactDir: opt.artifactDir()}
	closed := &closedFiles{places: at}
	at.shields = shields.New(at.disk, &at.folders, opt.Protected, at.artifactDir, at.userHome, &closed.closed.notify)
	closed.sandboxRuns = &sandboxRuns{protected: at.shields, tracker: changes.Tracker{Marks: append(slices.Clone(shields.RepositoryNames), ".git")}}
	v := &Vault{
		places:       at,
		documents:    &documents{places: at, sandboxRuns: closed.sandboxRuns, editor: opt.Editor},
		checkpoints:  &checkpoints{at},
		memories:     &memories{at},
		guides:       &guides{at},
		repositories: &repositories{places: at},
		environment:  &environment{at, orNone(opt.KeepEnv), orNone(opt.SecretEnv)},
		closedFiles:  closed,
		sandboxRuns:  closed.sandboxRuns,
		secrets:      secretReader{find: opt.Secrets},
		languages:    opt.Languages,
	}
	v.undoer = &undoer{at, v.documents, v.checkpoints, v.memories}
	v.follower = &follower{places: at, checkpoints: v.checkpoints, sandboxRuns: closed.sandboxRuns, lock: &v.documents.changing}
	v.sandboxes = &sandboxes{
		places: at, environment: v.environment, repositories: v.repositories, sandboxRuns: closed.sandboxRuns, closedFiles: closed,
		prober: opt.Prober, sandbox: orNone(opt.Sandbox), skills: orNone(opt.Skills),
	}
	v.background = &background{apart: &v.sandboxes.temps, pending: opt.Pending}
	err := v.SetFolders(folders)
	atHome := ""
	if v.home != "" { // ids of sessions are unique within a workspace only
		atHome = filepath.Join(v.home, "artifacts", v.WorkspaceID())
	}
	v.artifacts = artifact.New(v.disk, artifactFolders{at}, v.artifactDir, atHome)
	return v, err
}

// artifactDir is the name that it has, where it is one.
func (opt Options) artifactDir() string {
	if dir := opt.ArtifactDir; dir != "" && dir == filepath.Base(dir) && dir != "." && dir != ".." {
		return dir
	}
	return ".agent-output"
}

// orNone is f, or gives nothing.
func orNone[T any](f func() T) func() T {
	if f == nil {
		return func() (none T) { return none }
	}
	return f
}

// Close ends the jobs and closes the folders. Plans made before fail when they run.
func (v *Vault) Close() error {
	v.jobs.Close()
	return errors.Join(v.guards.Close(), v.SetFolders(nil), v.temps.RemoveAll(), v.closed.notify.Close(), v.closeSpool())
}

// Artifacts are the large outputs that are kept as files.
func (v *Vault) Artifacts() *artifact.Store { return v.artifacts }

// artifactFolders is what an artifact.Store asks of the places.
type artifactFolders struct{ in *places }

func (f artifactFolders) First(do func(dir *os.Root, abs string) error) error {
	return f.in.folders.First(do)
}

func (f artifactFolders) Abs(path string) (string, error) {
	p, err := f.in.Path(path)
	return p.abs, err
}
