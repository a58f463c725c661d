package workspace

import (
	"path/filepath"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/workspace/changes"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
)

// sandboxRuns are the commands that run in a sandbox, and what follows the files meanwhile.
type sandboxRuns struct {
	protected *shields.Set
	tracker   changes.Tracker

	mu      sync.Mutex                         // guards running
	running map[*shields.Snapshot][]closedHome // where what is closed to each is
}

// accept says that the Vault itself, or the person's editor, has changed the path p:
// what commands that run meanwhile have to leave alone is how it is from now on. A job
// may run for hours, and what an approved edit or the person's save did to a protected
// file in that time is not the job's, to be undone at its end; and of no command that
// runs is it a change. hash is of what was left there, a file's content or where a link
// leads, "" nothing: what a job was quick to put in its place is still the job's. below
// are the paths from p to what came or went with a directory.
func (r *sandboxRuns) accept(p Path, hash string, below ...string) {
	r.protected.ForgetTwins()
	r.tracker.NotACommand(p.abs)
	for _, rel := range below {
		r.tracker.NotACommand(filepath.Join(p.abs, filepath.FromSlash(rel)))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.root == nil {
		return
	}
	for snapshot := range r.running {
		snapshot.Theirs(p.abs)
		if r.protected.Guards(p.rel) {
			snapshot.Accept(p.root, p.rel, hash)
		}
	}
}

// began lets the snapshot of a command hear of what is accepted, until ended. closed
// are the directories of what it cannot open.
func (r *sandboxRuns) began(snapshot *shields.Snapshot, closed []closedHome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running == nil {
		r.running = map[*shields.Snapshot][]closedHome{}
	}
	r.running[snapshot] = closed
	r.protected.Running.Add(1)
}

func (r *sandboxRuns) ended(snapshot *shields.Snapshot) {
	defer r.protected.ForgetTwins()
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, open := r.running[snapshot]; open {
		delete(r.running, snapshot)
		r.protected.Running.Add(-1)
	}
}

// closedHomes are the directories of what is closed to any of them.
func (r *sandboxRuns) closedHomes() (homes []closedHome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, closed := range r.running {
		homes = append(homes, closed...)
	}
	return homes
}

// closedHome is a directory with closed names in it, as it was before a command.
type closedHome struct {
	abs   string
	id    openat.Inode
	names []string
}
