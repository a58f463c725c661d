package workspace

import (
	"path/filepath"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/workspace/changes"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
)

// runningBoxes are the boxes of the commands that run, and what follows the files meanwhile.
type runningBoxes struct {
	protected *shields.Set
	tracker   changes.Tracker

	mu    sync.Mutex                         // guards boxes
	boxes map[*shields.Snapshot][]closedHome // where what is closed to each is
}

// accept says that the Vault itself, or the person's editor, has changed the path p:
// what commands that run meanwhile have to leave alone is how it is from now on. A job
// may run for hours, and what an approved edit or the person's save did to a protected
// file in that time is not the job's, to be undone at its end; and of no command that
// runs is it a change. hash is of what was left there, a file's content or where a link
// leads, "" nothing: what a job was quick to put in its place is still the job's. below
// are the paths from p to what came or went with a directory.
func (r *runningBoxes) accept(p Path, hash string, below ...string) {
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
	for snapshot := range r.boxes {
		snapshot.Theirs(p.abs)
		if r.protected.Guards(p.rel) {
			snapshot.Accept(p.root, p.rel, hash)
		}
	}
}

// boxOpened lets the snapshot of a command hear of what is accepted, until boxClosed. closed
// are the directories of what it cannot open.
func (r *runningBoxes) boxOpened(snapshot *shields.Snapshot, closed []closedHome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.boxes == nil {
		r.boxes = map[*shields.Snapshot][]closedHome{}
	}
	r.boxes[snapshot] = closed
	r.protected.Running.Add(1)
}

func (r *runningBoxes) boxClosed(snapshot *shields.Snapshot) {
	defer r.protected.ForgetTwins()
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, open := r.boxes[snapshot]; open {
		delete(r.boxes, snapshot)
		r.protected.Running.Add(-1)
	}
}

// closedHomes are the directories of what is closed to any of them.
func (r *runningBoxes) closedHomes() (homes []closedHome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, closed := range r.boxes {
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
