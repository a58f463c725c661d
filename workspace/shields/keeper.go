// Package shields finds what is protected in the folders, the repositories among them, and
// puts right what a command did to it. It knows no Vault and asks nobody: which names are
// protected it is told.
package shields

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/folders"
	"github.com/agent-sidecar/agent-sidecar/workspace/notify"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
)

// Keeper finds what is protected in the folders, and the repositories. Guarded is what the
// names are to others, Running how many commands run that may change something. Its
// methods are safe for concurrent use.
type Keeper struct {
	disk    *durable.Disk
	folders *folders.Set
	Guarded Guarded
	output  string           // name of the directory of artifacts in a folder
	notify  *notify.Notifier // of directories whose names were read
	near    nearDirs
	twin    twinIndex
	Running atomic.Int32
}

// New is for the folders, with a directory of artifacts named output in the first.
// home is the person's, whose own configuration of git names files, too; "": nobody's.
func New(disk *durable.Disk, folders *folders.Set, guarded Guarded, output, home string, notify *notify.Notifier) *Keeper {
	guarded.Protected, guarded.MerelySecret = kept(guarded.Protected), kept(guarded.MerelySecret)
	guarded.home = home
	return &Keeper{disk: disk, folders: folders, Guarded: guarded, output: output, notify: notify}
}

// at is the folder that an absolute path is in, and its path there; nil in none. No link
// on it is followed: where a command has put one in the place of a directory, what was in
// that directory would get the names of what the link leads to.
func (k *Keeper) at(abs string) (*folders.Root, string) { return k.folders.Now().Inside(abs, false) }

// Guarded tells what the names of a folder are to others. object is the name of
// a file as rules see it ("vault:/.vscode/tasks.json"). nil: nothing is.
type Guarded struct {
	Protected    func(object string) bool // obeyed by other programs, or secret; a directory ends with "/"
	MerelySecret func(object string) bool // secret, and obeyed by nobody
	// Closed says that commands in a sandbox cannot open an object, MayHoldKey that they
	// cannot unless its content is public. A directory ends with "/"; it is closed with all
	// that is in it. nil: nothing is.
	Closed, MayHoldKey func(object string) bool

	home string // of the person, whose own configuration of git names files, too
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
func (k *Keeper) Depth(abs string) int {
	root, rel := k.at(abs)
	if root == nil || rel == "." {
		return 0
	}
	return strings.Count(rel, "/") + 1
}
