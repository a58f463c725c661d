package shields

import (
	"io/fs"
	"path"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/workspace/changes"
	"github.com/agent-sidecar/agent-sidecar/workspace/folders"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

// Guard is what one command finds protected, from before its start until after its end.
// Came are the absolute paths of what is new and more than a plain file, once PutBack has
// returned.
type Guard struct {
	k        *Keeper
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

// Guard is for a command of which files follows what it changes. contents says that the
// level cannot keep protected files from it.
func (k *Keeper) Guard(files *changes.Watch, contents bool) *Guard {
	return &Guard{k: k, files: files, contents: contents}
}

// ChangedByOthers says that what is at an absolute path, or something in it, is by somebody else
// than the command.
func (g *Guard) ChangedByOthers(abs string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.isTheirs(abs)
}

// LendsRights are the bits by which a program runs with the rights of who owns it.
const LendsRights = fs.ModeSetuid | fs.ModeSetgid

// mayStay notes a name that came, where it is more than a plain file or directory. mu is
// held.
func (g *Guard) mayStay(abs string, e fs.DirEntry) {
	if e.IsDir() {
		return // below one with setgid new directories have it
	}
	if e.Type().IsRegular() {
		if info, err := e.Info(); err != nil || info.Mode()&LendsRights == 0 {
			return
		}
	}
	g.Came = append(g.Came, abs)
}

// AsItIs and OnlyDir are given in place of a hash: whatever is at a path and below it, and
// a directory without what is in it.
const (
	AsItIs  = "*"
	OnlyDir = "/"
)

// Guards says that a path, or a directory that it is in, may be protected.
func (k *Keeper) Guards(rel string) bool {
	for at := rel; at != "." && at != "/"; at = path.Dir(at) {
		if path.Base(at) == ".git" || k.Guarded.Protected != nil && k.Guarded.Protected("vault:/"+at) {
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
func (g *Guard) LetGo() {
	for _, r := range g.own {
		r.Dir.Close()
	}
}

// Theirs notes that somebody else than the command changed something at a path.
func (g *Guard) Theirs(abs string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.accepted == nil {
		g.accepted = map[string]bool{}
	}
	g.accepted[abs] = true
}

// isTheirs says that what is at the path, or something in it, is somebody else's. mu is held.
func (g *Guard) isTheirs(abs string) bool {
	if g.accepted[abs] {
		return true
	}
	for at := range g.accepted {
		if _, in := pathname.Below(abs, at); in {
			return true
		}
	}
	return false
}
