package session

import (
	"context"
	"errors"
	"fmt"
)

// Restoring is an undo that is one half of something: it is done as a whole, or nothing of
// it is left.
type Restoring struct {
	To UndoTo
	// Accept says, of what would be done, whether it is to be done.
	Accept func(would Undone) bool
	// Then is the other half. The session takes no prompt before it has returned.
	Then func() error
}

// StrandedError says that the other half of an undo failed, and that the files, or some
// of them, stay as the undo has left them.
type StrandedError struct {
	Undo string // its name: that takes it back
	Err  error
}

func (e *StrandedError) Error() string {
	return fmt.Sprintf("%v; the files that %s brought back stay so until it is undone", e.Err, e.Undo)
}

// Unwrap is why.
func (e *StrandedError) Unwrap() error { return e.Err }

// errMoved says that a file has changed between the last look and the undo.
var errMoved = errors.New("a file was changed in the meantime; nothing was restored")

// Restore is Undo of what Accept was shown, and then Then. Where a file has changed since
// Accept looked, or Then fails, the undo is undone. One that is interrupted, by the end of
// the process too, is finished by asking again: what is back already stays.
func (u *undoer) Restore(ctx context.Context, r Restoring, first func()) (out Undone, done bool, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	name, tail, err := u.beginUndo(stop)
	if err != nil {
		return noneUndone(), false, err
	}
	defer u.endUndo(first)
	would, err := u.takeBack(ctx, undoing{name: name, tail: tail, to: r.To, dryRun: true})
	if err != nil || !r.Accept(would) {
		return would, false, err
	}
	out, err = u.takeBack(ctx, undoing{name: name, tail: tail, to: r.To})
	switch {
	case err == nil && len(out.Conflicts) > len(would.Conflicts):
		err = errMoved
	case err == nil:
		err = r.Then()
	}
	if err == nil {
		return out, true, nil
	}
	return out, false, u.strand(ctx, name, out, err)
}

// strand undoes an undo whose other half failed. The error is why, with what is left of
// the undo, if anything.
func (u *undoer) strand(ctx context.Context, name string, done Undone, why error) error {
	if len(done.Changes) == 0 {
		return why
	}
	x := u.log.journal.Begin()
	again, tail := nextUndo(x), x.State.Seq
	u.session.undoing = again
	x.End()
	back, err := u.takeBack(ctx, undoing{name: again, tail: tail, to: UndoTo{CallID: name}})
	if err != nil || len(back.Conflicts) > 0 {
		return &StrandedError{name, errors.Join(why, err)}
	}
	return why
}
