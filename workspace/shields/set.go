// Package shields finds what is protected in the folders, the repositories among them, and
// puts right what a command did to it. It knows no Vault and asks nobody: which names are
// protected it is told.
package shields

import (
	"io/fs"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/changes"
	"github.com/agent-sidecar/agent-sidecar/workspace/folders"
	"github.com/agent-sidecar/agent-sidecar/workspace/notify"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

// Set finds what is protected in the folders, and the repositories. Names is what the
// names are to others, Running how many commands run that may change something. Its
// methods are safe for concurrent use.
type Set struct {
	disk    *durable.Disk
	folders *folders.Set
	Names   Names
	home    string           // of the person, whose own configuration of git names files, too
	output  string           // name of the directory of artifacts in a folder
	notify  *notify.Notifier // of directories whose names were read
	near    nearDirs
	twin    twinIndex
	Running atomic.Int32
}

// New is for the folders, with a directory of artifacts named output in the first.
// home is the person's, whose own configuration of git names files, too; "": nobody's.
func New(disk *durable.Disk, folders *folders.Set, names Names, output, home string, notify *notify.Notifier) *Set {
	names.Protected, names.MerelySecret = kept(names.Protected), kept(names.MerelySecret)
	return &Set{disk: disk, folders: folders, Names: names, home: home, output: output, notify: notify}
}

// at is the folder that an absolute path is in, and its path there; nil in none. No link
// on it is followed: where a command has put one in the place of a directory, what was in
// that directory would get the names of what the link leads to.
func (k *Set) at(abs string) (*folders.Root, string) { return k.folders.Now().Inside(abs, false) }

// Names tells what the names of a folder are to others. object is the name of
// a file as rules see it ("vault:/.vscode/tasks.json"). nil: nothing is.
type Names struct {
	Protected    func(object string) bool // obeyed by other programs, or secret; a directory ends with "/"
	MerelySecret func(object string) bool // secret, and obeyed by nobody
	// Closed says that commands in a sandbox cannot open an object, MayHoldKey that they
	// cannot unless its content is public. A directory ends with "/"; it is closed with all
	// that is in it. nil: nothing is.
	Closed, MayHoldKey func(object string) bool
}

// nearDirs are directories near the top of a folder whose names were read before and are
// as they were. The zero value knows none.
type nearDirs struct {
	mu   sync.Mutex // guards the rest
	dirs map[string]*nearDir
}

// nearDir is what counts of the names in one directory.
type nearDir struct {
	mark  int
	names int // all of them
	parts RepositoryParts
	found []nearName // repositories, and what is protected
	dirs  []string   // the others that somebody may look into
}

type nearName struct {
	rel                         string
	dir, repository, justSecret bool
}

// twinIndex are the protected files that have several names.
type twinIndex struct {
	mu    sync.Mutex // guards what follows
	made  time.Time
	names map[openat.Inode][]string // absolute paths
}

// Depth is how many directories below its folder a path is.
func (k *Set) Depth(abs string) int {
	root, rel := k.at(abs)
	if root == nil || rel == "." {
		return 0
	}
	return strings.Count(rel, "/") + 1
}

// mostVerdicts is of how many names it is kept what they are: those that a look at two
// folders sees.
const mostVerdicts = 2 * shieldEntries

// verdicts keeps what was said of names. Each command looks at the same ones twice, and
// what a name is follows from it alone.
type verdicts struct {
	of func(object string) bool

	mu    sync.Mutex // guards known; a leaf
	known map[string]bool
}

// kept is a function that answers the same, and is asked once about each name.
func kept(of func(object string) bool) func(object string) bool {
	if of == nil {
		return nil
	}
	return (&verdicts{of: of, known: map[string]bool{}}).is
}

func (v *verdicts) is(object string) bool {
	v.mu.Lock()
	is, known := v.known[object]
	v.mu.Unlock()
	if known {
		return is
	}
	is = v.of(object)
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.known) >= mostVerdicts {
		clear(v.known)
	}
	v.known[object] = is
	return is
}

// Snapshot is what one command finds protected, from before its start until after its end.
// Came are the absolute paths of what is new and more than a plain file, once PutBack has
// returned.
type Snapshot struct {
	k        *Set
	files    *changes.Watch // follows what the command changes; nil: nobody does
	contents bool           // was holds their contents, because the level cannot keep them

	repos []GitPlace        // what git took for a repository when the command began
	steps map[string]string // what rebases had still to do then
	own   []*folders.Root   // of linked worktrees, in their repositories
	Came  []string          // absolute paths of what is new and may be told of
	kept  []memo            // repositories in which it could change nothing

	mu       sync.Mutex      // guards what follows
	was      map[string]memo // protected files
	accepted map[string]bool // absolute paths at which somebody else made a change meanwhile
}

// Snapshot is for a command of which files follows what it changes. contents says that the
// level cannot keep protected files from it.
func (k *Set) Snapshot(files *changes.Watch, contents bool) *Snapshot {
	return &Snapshot{k: k, files: files, contents: contents}
}

// ChangedByOthers says that what is at an absolute path, or something in it, is by somebody else
// than the command.
func (sn *Snapshot) ChangedByOthers(abs string) bool {
	sn.mu.Lock()
	defer sn.mu.Unlock()
	return sn.isTheirs(abs)
}

// LendsRights are the bits by which a program runs with the rights of who owns it.
const LendsRights = fs.ModeSetuid | fs.ModeSetgid

// mayStay notes a name that came, where it is more than a plain file or directory. mu is
// held.
func (sn *Snapshot) mayStay(abs string, e fs.DirEntry) {
	if e.IsDir() {
		return // below one with setgid new directories have it
	}
	if e.Type().IsRegular() {
		if info, err := e.Info(); err != nil || info.Mode()&LendsRights == 0 {
			return
		}
	}
	sn.Came = append(sn.Came, abs)
}

// AsItIs and OnlyDir are given in place of a hash: whatever is at a path and below it, and
// a directory without what is in it.
const (
	AsItIs  = "*"
	OnlyDir = "/"
)

// Guards says that a path, or a directory that it is in, may be protected.
func (k *Set) Guards(rel string) bool {
	for at := rel; at != "." && at != "/"; at = path.Dir(at) {
		if path.Base(at) == ".git" || k.Names.Protected != nil && k.Names.Protected("vault:/"+at) {
			return true
		}
	}
	return false
}

// holds says that what is there has the hash, where that can be told.
func (m memo) holds(hash string) bool {
	switch {
	case hash == AsItIs, hash != "" && (m.dir || m.over):
		return true
	case m.Link:
		return hash == undo.HashOf([]byte(m.to))
	}
	return hash == undo.HashOf(m.text)
}

// LetGo closes what was opened for this command alone.
func (sn *Snapshot) LetGo() {
	for _, r := range sn.own {
		r.Dir.Close()
	}
}

// Theirs notes that somebody else than the command changed something at a path.
func (sn *Snapshot) Theirs(abs string) {
	sn.mu.Lock()
	defer sn.mu.Unlock()
	if sn.accepted == nil {
		sn.accepted = map[string]bool{}
	}
	sn.accepted[abs] = true
}

// isTheirs says that what is at the path, or something in it, is somebody else's. mu is held.
func (sn *Snapshot) isTheirs(abs string) bool {
	if sn.accepted[abs] {
		return true
	}
	for at := range sn.accepted {
		if _, in := pathname.Below(abs, at); in {
			return true
		}
	}
	return false
}
