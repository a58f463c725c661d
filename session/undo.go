package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// UndoTo says how far back an undo goes: exactly one of its first three members is
// set.
type UndoTo struct {
	CallID string // to before this call, or this earlier undo
	RunID  string // to before this run
	Seq    *int64 // to what the files were as of it
	// Paths are the files that come back, as changes name them; nil: all. One that
	// was moved has both of its names.
	Paths []string
}

// Undone is what an undo did, or would do.
type Undone struct {
	Changes   []history.FileChange
	Conflicts []tool.Conflict
}

// undoer takes back what a session has changed.
type undoer struct {
	log     *logReader
	folder  *folder
	session *activity
	about   *describer
	auditor *auditor
	tools   *toolbox
}

// maxUndone bounds the changes, and the conflicts, that are answered: file.changed
// has them all.
const maxUndone = 400 << 10

// Undo brings the files that this session and its sub-agents have changed back to what
// they were. It is itself a change with a name, as whose call it is recorded, so that
// it can be undone the same way. While a run is going on it is refused: nobody could
// say what the run would find. first is called before the first event is told, which
// is when all is done: what an undo of thousands of files has recorded keeps nobody
// else waiting for its answer.
func (u *undoer) Undo(ctx context.Context, to UndoTo, merge, dryRun bool, first func()) (Undone, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	name, tail, err := u.beginUndo(stop)
	if err != nil {
		return noneUndone(), err
	}
	defer u.endUndo(first)
	return u.takeBack(ctx, undoing{name, tail, to, merge, dryRun})
}

func noneUndone() Undone {
	return Undone{Changes: []history.FileChange{}, Conflicts: []tool.Conflict{}}
}

// undoing is one undo on its way, between beginUndo and endUndo.
type undoing struct {
	name   string
	tail   int64 // of the log
	to     UndoTo
	merge  bool
	dryRun bool
}

// takeBack does what Undo says.
func (u *undoer) takeBack(ctx context.Context, w undoing) (Undone, error) {
	out := noneUndone()
	deeds, err := u.log.deedsTo(ctx, w.tail)
	if err != nil {
		return out, err
	}
	changes, foreign, err := w.to.pick(u.log.id, deeds, w.tail, u.mayChangeFiles)
	if err != nil {
		return out, err
	}
	if !w.dryRun && len(changes) > 0 {
		if err := u.auditUndo(w.name, changes); err != nil {
			return out, err
		}
	}
	var done []tool.Change
	var conflicts []tool.Conflict
	for _, at := range madeAt(changes) {
		made, left, failed := u.undoAt(ctx, w.name, at, changes, w.merge, w.dryRun)
		if !u.log.twinned(at) { // else what of it came here is named
			done, conflicts = append(done, made...), append(conflicts, left...)
		}
		err = errors.Join(err, failed)
	}
	if !w.dryRun && len(done) > 0 {
		err = errors.Join(err, u.log.journal.Sync())
	}
	for _, c := range done {
		if !c.Directory {
			out.Changes = append(out.Changes, fileChange(w.name, c))
		}
	}
	out.Changes = boundChanges(out.Changes, maxUndone)
	out.Conflicts = boundConflicts(append(append(out.Conflicts, foreign...), conflicts...), maxUndone)
	return out, err
}

// madeAt are the runners that changes were made on, those of the last one first.
func madeAt(changes []tool.Change) (runners []string) {
	for _, c := range slices.Backward(changes) {
		if !slices.Contains(runners, c.Runner) {
			runners = append(runners, c.Runner)
		}
	}
	return runners
}

// undoAt takes back those changes that were made on the machine of a runner.
func (u *undoer) undoAt(ctx context.Context, name, runner string, changes []tool.Change, merge, dryRun bool) (done []tool.Change, left []tool.Conflict, err error) {
	changes = slices.DeleteFunc(slices.Clone(changes), func(c tool.Change) bool { return c.Runner != runner })
	place, err := u.log.deps.At(runner, u.log.root.id)
	if err == nil && place.Reach != nil {
		err = place.Reach(ctx)
	}
	if err != nil {
		for _, c := range changes {
			left = append(left, tool.Conflict{Path: c.Path, Reason: tool.NotReached})
		}
		return nil, left, nil
	}
	if place.Twin != nil { // what came here from there is undone here, and is then sent
		if fetched, err := place.Twin.Fetch(ctx, u.log.id, name); err == nil && fetched == nil {
			return nil, nil, nil
		}
	}
	done, left, err = place.Files.Undo(ctx, changes, merge, dryRun, func(c tool.Change) error {
		c.Runner = runner
		return u.log.journal.Append("", fileChanged(name, c))
	})
	return done, left, err
}

// beginUndo makes sure that nothing else works on the session until endUndo, and
// names the undo. stop ends it between two files.
func (u *undoer) beginUndo(stop func()) (name string, tail int64, err error) {
	x := u.log.journal.Begin()
	defer x.End()
	switch {
	case u.session.closing || x.Closed():
		return "", 0, journal.ErrClosed
	case u.session.live != nil:
		return "", 0, &BusyError{u.log.id, u.session.live.id}
	case u.session.undoing != "":
		return "", 0, &BusyError{u.log.id, u.session.undoing}
	}
	if err := u.folder.keep(x); err != nil {
		return "", 0, err
	}
	if err := x.CatchUp(); err != nil { // nothing is done that would not be kept
		return "", 0, journal.Unwritable(err)
	}
	u.session.undoing, u.session.stopUndo, u.session.idle = nextUndo(x), stop, make(chan struct{})
	x.Hold()
	return u.session.undoing, x.State.Seq, nil
}

// nextUndo is the first name of an undo that no call has.
func nextUndo(x *journal.Txn) string {
	n := x.State.Undos + 1
	for x.State.CallIDs.Has(history.UndoName + strconv.Itoa(n)) {
		n++
	}
	return history.UndoName + strconv.Itoa(n)
}

// endUndo tells what has happened since beginUndo.
func (u *undoer) endUndo(first func()) {
	first()
	x := u.log.journal.Begin()
	defer x.End()
	u.session.undoing, u.session.stopUndo = "", nil
	x.Release()
	u.session.rest()
}

// anyFile is in a conflict for files whose names are not known.
const anyFile = "."

// mayChangeFiles says whether a call of a tool may have changed files that an undo is
// about. A tool that there is no more counts as one that does.
func (u *undoer) mayChangeFiles(name string) bool {
	if strings.HasPrefix(name, tool.MCPPrefix) || name == tool.MCPCall || name == taskName {
		return false // what servers do is never followed, and a sub-agent's calls are its own
	}
	t, known := u.tools.builtIn().Lookup(name)
	return !known || t.Spec().Effect != tool.Read && t.Spec().Effect != tool.Net
}

// pick are the changes to undo, in order. What this session did not do itself, and
// what nobody knows because a process died, it does not undo: foreign names it. What
// a call that is not undone has changed, too, while both ran is held back; a file that
// the person names is so only where that would lose what came later.
func (to UndoTo) pick(session string, deeds []history.Deed, tail int64, mayChange func(tool string) bool) (changes []tool.Change, foreign []tool.Conflict, err error) {
	first := 0
	switch {
	case to.Seq != nil && (*to.Seq < 0 || *to.Seq > tail):
		return nil, nil, &InvalidError{"to", fmt.Sprintf("seq is %d; the session's go from 0 to %d", *to.Seq, tail)}
	case to.Seq != nil:
		first = slices.IndexFunc(deeds, func(d history.Deed) bool { return d.Seq > *to.Seq })
	case to.RunID != "":
		first = slices.IndexFunc(deeds, func(d history.Deed) bool { return d.Run == to.RunID })
	default:
		first = slices.IndexFunc(deeds, func(d history.Deed) bool { return d.Call == to.CallID })
	}
	if first < 0 {
		if to.Seq != nil {
			return nil, nil, nil
		}
		return nil, nil, &InvalidError{"to", fmt.Sprintf("nothing in the session is called %q", control.Title(to.RunID+to.CallID, 80))}
	}
	named, undone, writers := map[string]bool{}, history.CallsIn(session, deeds[first:]), history.WritersIn(session, deeds)
	for i, d := range deeds[first:] {
		switch f := d.File; {
		case d.Lost != "" && d.Own && !named[anyFile] && mayChange(d.Lost):
			named[anyFile] = true
			foreign = append(foreign, tool.Conflict{Path: anyFile, Reason: tool.Lost})
		case f == nil:
		case d.Own:
			c := tool.Change{Path: f.Path, Kind: f.Kind, From: f.From, Before: f.Before, After: f.After, Checkpoint: f.Checkpoint, Runner: f.Runner}
			others, later := writers.Others(session, first+i, d, undone)
			switch {
			case later:
				c.Held, c.With = tool.SharedLater, others
			case len(others) > 0:
				c.Held, c.With = tool.Shared, others
			}
			changes = append(changes, c)
		case !named[f.Path]:
			named[f.Path] = true
			foreign = append(foreign, tool.Conflict{Path: f.Path, Reason: tool.NotOurs})
		}
	}
	return to.only(changes, foreign)
}

// only keeps what is about the files that are asked for, by name: what another command
// has changed before is no reason then to hold one back. A path that nothing has
// changed is an error: it would look as if it had been brought back.
func (to UndoTo) only(changes []tool.Change, foreign []tool.Conflict) ([]tool.Change, []tool.Conflict, error) {
	if to.Paths == nil {
		return changes, foreign, nil
	}
	wanted, met := map[string]bool{}, map[string]bool{}
	for _, p := range to.Paths {
		wanted[p] = true
	}
	tied := map[string][]string{} // a file comes back with all that moves tie it to
	for _, c := range changes {
		if c.From != "" {
			tied[c.Path], tied[c.From] = append(tied[c.Path], c.From), append(tied[c.From], c.Path)
		}
	}
	for next := slices.Clone(to.Paths); len(next) > 0; {
		last := len(next) - 1
		of := tied[next[last]]
		next = next[:last]
		for _, p := range of {
			if !wanted[p] {
				wanted[p] = true
				next = append(next, p)
			}
		}
	}
	keep := func(path, from string) bool {
		met[path], met[from] = true, true
		return wanted[path]
	}
	changes = slices.DeleteFunc(changes, func(c tool.Change) bool { return !keep(c.Path, c.From) })
	for i, c := range changes {
		if c.Held == tool.Shared {
			changes[i].Held, changes[i].With = "", nil
		}
	}
	foreign = slices.DeleteFunc(foreign, func(c tool.Conflict) bool { return !keep(c.Path, "") })
	for _, p := range to.Paths {
		if p == "" || !met[p] {
			return nil, nil, &InvalidError{"paths", fmt.Sprintf("nothing that would be undone has changed %q", control.Title(p, 200))}
		}
	}
	return changes, foreign, nil
}

// auditUndo writes down that a person takes changes back.
func (u *undoer) auditUndo(name string, changes []tool.Change) error {
	var paths []string
	for _, c := range changes {
		if !slices.Contains(paths, c.Path) && len(paths) < mostAudited {
			paths = append(paths, c.Path)
		}
	}
	return u.auditor.write(audit.Entry{Mode: u.about.Info().Mode, Decision: "undo", Domain: tool.DomainEdit, Targets: paths, By: "client", CallID: name})
}

// mostAudited is how many paths one line of the audit names.
const mostAudited = 100

// LastRun is the newest run of the session, "" before the first.
func (l *logReader) LastRun(ctx context.Context) (string, error) {
	deeds, err := history.Deeds(ctx, l.dir, l.Seq())
	for _, d := range slices.Backward(deeds) {
		if d.Run != "" {
			return d.Run, nil
		}
	}
	return "", err
}
