package workspace

import "context"

// put makes the file hold what c gives it, and is the one way in which a tool
// changes the text of a file. changing is held, and c was checked again. A buffer
// with unsaved text is changed in the editor and not saved; changing is then not
// held meanwhile. On an error the file is what it was, except where the error says
// that nobody knows.
func (d *documents) put(ctx context.Context, c change) error {
	if !c.repository && d.makesRepository(c.path) {
		return errRepository
	}
	was := c.was
	if was.open != nil { // it may have been saved since
		now, err := d.snapshot(c.path)
		switch {
		case err != nil:
			return err
		case now.hash != was.hash:
			return errChanged
		case now.open != nil:
			return d.putInEditor(ctx, c, *now.open)
		}
		was = now
	} else if err := d.stillClean(c.path); err != nil {
		return err
	}
	if err := c.path.replace(was, c.data); err != nil {
		return err
	}
	d.wrote(c.path, c.to, hashOf(c.data))
	return nil
}

// takeBack undoes what put has just made of c, where nobody has changed it since.
func (d *documents) takeBack(ctx context.Context, c change) error {
	now, err := d.snapshot(c.path)
	switch {
	case err != nil:
		return err
	case !d.asLeft(c.path, hashOf(c.data), now.hash):
		return errChanged
	case !c.was.exists:
		return c.path.removeSeen(now)
	}
	return d.put(ctx, change{path: c.path, was: now, data: c.was.data, from: c.to, to: c.from, repository: true})
}

// wrote follows a change of the file p on the disk: an open document that shows
// the old text is loaded again.
func (d *documents) wrote(p Path, text, hash string) {
	d.accept(p, hash)
	if uri := d.buffers.wrote(p, text, hash); uri != "" && d.editor != nil {
		d.editor.Reload(uri)
	}
}

// recheck makes sure that p is still what the plan was judged on. changing is
// held.
func (d *documents) recheck(p Path, was snapshot) error {
	if err := d.again(p); err != nil {
		return err
	}
	if was.open == nil {
		if err := d.stillClean(p); err != nil {
			return err
		}
	}
	now, err := d.snapshot(p)
	switch {
	case err != nil:
		return err
	case now.exists && !was.exists:
		return errAppeared
	case now.exists != was.exists || now.hash != was.hash:
		return errChanged
	}
	return nil
}

// stillClean refuses a file that was planned as it is on the disk and has unsaved
// text in the editor now.
func (d *documents) stillClean(p Path) error {
	if _, dirty := d.buffers.dirty(p); dirty && d.canEdit() {
		return errTyped
	}
	return d.notDirty(p)
}
