package changes

import "slices"

// Over says that the command has ended. One in the background runs on when it is
// followed no more: until then whatever another one is seen to change may be its work.
func (w *Watch) Over() {
	w.t.mu.Lock()
	defer w.t.mu.Unlock()
	w.over = true
	w.t.running = slices.DeleteFunc(w.t.running, func(o *Watch) bool { return o == w })
}

// Call is whose command is followed.
func (w *Watch) Call() Call { return w.call }

// RunsOn says, before End, that the command does not end with it.
func (w *Watch) RunsOn() {
	w.t.mu.Lock()
	defer w.t.mu.Unlock()
	w.runsOn = true
}

// attribute says of each change who else may have made it, and tells those. claimed
// are what others were said to have changed that may be this command's work. Tracker.mu
// is held.
func (w *Watch) attribute(files []Difference) (claimed map[string]Call) {
	for i, d := range files {
		for _, o := range w.others {
			if same(d.was, d.is) {
				break // changed twice within one tick, perhaps; each sees that for itself
			}
			if o.mayHave(d, w) {
				files[i].With = append(files[i].With, o.call)
				o.claimed[d.Path] = w.call
			}
		}
	}
	w.others = nil // they keep surveys
	return w.claimed
}

// mayHave says that w may have made a change which was found when another command
// ended. It did not where the change was made when w began, or was not when it ended.
func (w *Watch) mayHave(d Difference, found *Watch) bool {
	for _, at := range []struct {
		path    string
		was, is *snapshot
	}{{d.Path, d.was, d.is}, {d.From, d.was, nil}} {
		switch {
		case at.path == "":
		case w.number > found.number && same(w.before.find(at.path), at.is):
			return false
		case w.over && !w.runsOn && w.after != nil && d.From == "" && same(w.after.find(at.path), at.was):
			return false
		}
	}
	return true
}

// same says that two looks saw the same, or both nothing.
func same(a, b *snapshot) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.stat == b.stat
}
