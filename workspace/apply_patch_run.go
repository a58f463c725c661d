package workspace

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/patch"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

// runPatch carries out a patch. First everything is checked again and every content
// is kept; then the files change one after the other. Where one cannot be changed,
// those before it are put back. A process that is killed in between leaves some
// files changed and the others not, but none in pieces, and the contents are kept.
func (d *patcher) runPatch(ctx context.Context, steps []*patchStep) tool.Result {
	v := d.v
	v.changing.Lock()
	defer v.changing.Unlock()
	for _, s := range steps {
		if err := d.recheckStep(s); err != nil {
			return tool.Failed(fmt.Errorf("nothing was changed: %s: %w", s.path, err))
		}
	}
	for _, s := range steps {
		if err := v.keepStep(s); err != nil {
			return tool.Failed(fmt.Errorf("nothing was changed: %s: %w", s.path, err))
		}
	}
	var done []*doneStep
	for _, s := range steps {
		one := &doneStep{patchStep: s, v: v}
		done = append(done, one)
		if len(done) < len(steps) && s.was.exists { // behind the last one nothing comes back
			one.backup = s.path.linkBackup()
		}
		if err := one.do(ctx); err != nil {
			return d.takeBack(ctx, done, fmt.Errorf("%s: %w", s.path, err))
		}
	}
	for _, one := range done {
		one.backup.drop()
	}
	return d.patched(steps)
}

// keepStep stores what a step replaces or takes away.
func (k *checkpoints) keepStep(s *patchStep) (err error) {
	switch {
	case s.edits:
		s.checkpoint, err = k.keepChange(s.change)
	case s.file.Op == patch.Delete:
		s.checkpoint, err = k.keep(s.was)
	default:
		s.checkpoint, err = k.Keep(s.was.data)
	}
	return err
}

// recheckStep makes sure that a step finds what it was judged on.
func (d *patcher) recheckStep(s *patchStep) error {
	if s.moves() {
		return d.recheckMove(s.move)
	}
	return d.v.recheck(s.path, s.was)
}

// doneStep is a step that was taken, as far as it went.
type doneStep struct {
	*patchStep
	v      *Vault
	dirs   []Path     // directories that were made for it
	backup backupLink // the file as it was
	gone   bool       // it was deleted
	moved  bool
	put    bool // its text was written
}

// do changes the file. changing is held.
func (s *doneStep) do(ctx context.Context) error {
	switch {
	case s.file.Op == patch.Delete:
		err := s.path.removeSeen(s.was)
		if s.gone = err == nil; s.gone {
			s.v.accept(s.path, "")
		}
		return err
	case s.moves():
		s.dirs = s.v.missingDirs(s.to)
		if err := s.move.rename(); err != nil {
			return err
		}
		s.moved = true
		s.v.accept(s.path, "")
		s.v.accept(s.to, s.was.hash)
		if !s.edits {
			return nil
		}
		now, err := s.to.snapshot()
		if err != nil {
			return err
		}
		if now.hash != s.was.hash {
			return errChanged
		}
		s.change.was = now
	case s.file.Op == patch.Add:
		s.dirs = s.v.missingDirs(s.path)
	}
	err := s.v.put(ctx, s.change)
	s.put = err == nil
	return err
}

// undo takes back what do has done. changing is held.
func (s *doneStep) undo(ctx context.Context) (err error) {
	defer func() {
		if err != nil { // what is there is somebody else's
			return
		}
		s.v.accept(s.path, s.was.hash)
		if s.moves() {
			s.v.accept(s.to, "")
		}
		for _, dir := range s.dirs {
			s.v.accept(dir, "")
		}
	}()
	defer s.backup.drop()
	defer removeDirs(s.dirs)
	if s.put {
		switch err := s.v.takeBack(ctx, s.change); {
		case errors.Is(err, errChanged):
			return errOthers
		case err != nil && s.comeBack(err) != nil:
			return err
		}
	}
	switch {
	case s.moved:
		return s.move.back()
	case s.gone:
		return s.bringBack(ctx)
	}
	return nil
}

// comeBack is the second way, where there is no room to write: the file itself,
// which has been kept by another name, takes its place again.
func (s *doneStep) comeBack(why error) error {
	if _, err := s.path.lstat(); s.moved && !isMissing(err) {
		return why
	}
	if s.backup.restore() != nil {
		return why
	}
	s.v.wrote(s.path, s.change.from, s.was.hash)
	if s.moved {
		return s.to.remove()
	}
	return nil
}

// bringBack is takeBack for a file that was deleted.
func (s *doneStep) bringBack(ctx context.Context) error {
	if _, err := s.path.lstat(); !isMissing(err) {
		return errAppeared
	}
	if s.backup.restore() == nil {
		return nil
	}
	return s.v.put(ctx, change{path: s.path, was: snapshot{info: s.was.info}, data: s.was.data, to: textOrNote(s.was.data), repository: true})
}

var errOthers = errors.New("somebody else has changed it since")

// back is the move in the other direction.
func (r relocation) back() error {
	now, err := r.to.snapshot()
	if err != nil {
		return err
	}
	if now.hash != r.was.hash {
		return errOthers
	}
	return relocation{from: r.to, to: r.from, was: now, info: now.info}.rename()
}

// missingDirs are the directories above p that are not there yet, the outer one
// first.
func (w *places) missingDirs(p Path) []Path {
	var out []Path
	for dir := filepath.Dir(p.abs); ; dir = filepath.Dir(dir) {
		q, err := w.locate(dir, false)
		if err != nil || q.rel == "." || dir == filepath.Dir(dir) {
			break
		}
		if _, err := q.lstat(); !isMissing(err) {
			break
		}
		out = append(out, q)
	}
	slices.Reverse(out)
	return out
}

// removeDirs removes directories that were made in vain. One that somebody uses by
// now stays.
func removeDirs(dirs []Path) {
	for _, dir := range slices.Backward(dirs) {
		if empty, err := dir.emptyDir(); err != nil || !empty || dir.remove() != nil {
			return
		}
	}
}

// takeBack undoes what was done before a step failed, and says what came of it. A
// cancel does not stop it.
func (d *patcher) takeBack(ctx context.Context, steps []*doneStep, why error) tool.Result {
	ctx = context.WithoutCancel(ctx)
	var left []string
	for _, s := range slices.Backward(steps) {
		if err := s.undo(ctx); err != nil {
			left = append(left, fmt.Sprintf("%s: %v", s.path, err))
		}
	}
	if left == nil {
		return tool.Failed(fmt.Errorf("nothing was changed: %w", why))
	}
	out := tool.Result{Failed: true}
	var b strings.Builder
	fmt.Fprintf(&b, "the patch failed: %v\nNot everything could be put back (%s):", why, strings.Join(left, "; "))
	for _, s := range steps {
		for _, c := range d.differs(s.patchStep) {
			out.Changes = append(out.Changes, c)
			fmt.Fprintf(&b, "\n%s is %s", pathname.Printable(c.Path), c.Kind)
			if c.Checkpoint != "" {
				b.WriteString("; its previous content is checkpoint " + c.Checkpoint[:12])
			}
		}
	}
	out.Text = b.String()
	return out
}

// differs is what a step has left behind that is not as it was.
func (d *patcher) differs(s *patchStep) []tool.Change {
	var out []tool.Change
	for _, at := range []struct {
		path Path
		was  snapshot
	}{{s.path, s.was}, {s.to, snapshot{}}} {
		if at.path.abs == "" {
			continue
		}
		now, err := at.path.snapshot()
		if err != nil || now.exists == at.was.exists && now.hash == at.was.hash {
			continue
		}
		c := tool.Change{Path: at.path.Display(), URI: at.path.URI(), Before: at.was.hash, After: now.hash, Checkpoint: at.was.hash}
		switch {
		case !at.was.exists:
			c.Kind = "created"
		case !now.exists:
			c.Kind = "deleted"
		default:
			c.Kind = "modified"
		}
		d.forget(at.path)
		out = append(out, c)
	}
	return out
}

// patched remembers what the session has left, and says it.
func (d *patcher) patched(steps []*patchStep) tool.Result {
	var out tool.Result
	var heads, diffs []string
	added, removed := 0, 0
	for _, s := range steps {
		head, changes := d.concludeStep(s)
		for _, c := range changes {
			added, removed = added+c.Additions, removed+c.Deletions
		}
		heads = append(heads, head)
		out.Changes = append(out.Changes, changes...)
		if s.file.Op != patch.Delete { // its text was perhaps never read, and is of no use any more
			text, _ := s.diff()
			diffs = append(diffs, text)
		}
	}
	if len(steps) > 1 {
		heads = append([]string{fmt.Sprintf("patched %d files (+%d −%d)", len(steps), added, removed)}, heads...)
	}
	out.Text = strings.TrimSuffix(strings.Join(heads, "\n")+"\n"+firstLines(strings.Join(diffs, ""), maxDiffLines), "\n")
	return out
}

// concludeStep is one line about a step, and its changes. A file that moves and
// changes is two of them: each can be taken back.
func (d *patcher) concludeStep(s *patchStep) (head string, changes []tool.Change) {
	name := pathname.Printable(s.path.Display())
	if s.file.Op == patch.Delete {
		d.forget(s.path)
		return fmt.Sprintf("deleted %s (−%d, checkpoint %s)", name, s.removed, s.was.hash[:12]), []tool.Change{{
			Path: s.path.Display(), URI: s.path.URI(), Kind: "deleted", Deletions: s.removed, Before: s.was.hash, Checkpoint: s.checkpoint,
		}}
	}
	if s.moves() {
		d.moved(s.move)
		changes, _ = s.move.changes(d.v, s.was.hash) // of a file nothing is looked up
		head = fmt.Sprintf("moved %s to %s", name, pathname.Printable(s.to.Display()))
		if !s.edits {
			return head, changes
		}
		head += ", and "
	}
	c := s.change
	after := hashOf(c.data)
	if !c.unread {
		d.remember(c.path, after)
	}
	added, removed := countLines(c.from, c.to)
	made := tool.Change{Path: c.path.Display(), URI: c.path.URI(), Kind: "modified", Additions: added, Deletions: removed, Before: s.was.hash, After: after, Checkpoint: s.checkpoint}
	verb := "edited"
	if !s.was.exists {
		verb, made.Kind = "created", "created"
	}
	head += fmt.Sprintf("%s %s (+%d −%d", verb, pathname.Printable(c.path.Display()), added, removed)
	if s.was.exists {
		head += ", checkpoint " + s.was.hash[:12]
	}
	if where := d.v.whereItIs(c.path); where != "" {
		head += "; " + where
	}
	if known := d.v.changedMemory(c.path, s.was, after); known != nil {
		head += ", " + known.Error()
	}
	return head + ")", append(changes, made)
}
