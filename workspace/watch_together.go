package workspace

import (
	"fmt"
	"maps"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/workspace/changes"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
)

// namesOf are calls as changes name them.
func namesOf(calls []changes.Call) (names []string) {
	for _, c := range calls {
		names = append(names, c.Line+"/"+c.ID)
	}
	return names
}

// besides says for the model which changes may be those of another command that ran
// at the same time, "" where there are none.
func (w *watch) besides(found changes.Found) string {
	own := map[string]bool{} // what is counted to this command
	for _, c := range w.found {
		own[c.Path] = true
	}
	shared, counted, conflicts := map[changes.Call][]string{}, map[changes.Call][]string{}, map[changes.Call][]string{}
	for _, d := range found.Files {
		name := w.v.asSeen(d.Path).Display()
		for _, other := range d.With {
			if own[name] {
				shared[other] = append(shared[other], name)
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(found.Claimed)) {
		to, other := counted, found.Claimed[path]
		name := w.v.asSeen(path).Display()
		if own[name] {
			to = conflicts
		}
		to[other] = append(to[other], name)
	}
	note := w.notes(shared, "(While this ran, so did %s. These files may have been written by it: %s)")
	note = output.JoinNotes(note, w.notes(counted, "(While this ran, so did %s. What was changed meanwhile in these files is counted to it: %s)"))
	return output.JoinNotes(note, w.notes(conflicts, "(Conflict: while this ran, so did %s, and both may have written these files; look at what is in them now: %s)"))
}

// notes are a note for each other call, in the order of their names.
func (w *watch) notes(files map[changes.Call][]string, format string) (note string) {
	byName := func(a, b changes.Call) int { return slices.Compare([]string{a.Line, a.ID}, []string{b.Line, b.ID}) }
	for _, other := range slices.SortedFunc(maps.Keys(files), byName) {
		who := "a command of another session or sub-agent"
		if other.Line == w.files.Call().Line {
			who = "the command of call " + other.ID
		}
		note = output.JoinNotes(note, fmt.Sprintf(format, who, listed(files[other])))
	}
	return note
}

// withTogether puts what is to be said of other commands, and of many changes, behind a
// note.
func (w *watch) withTogether(note string) string {
	if w == nil {
		return note
	}
	return output.JoinNotes(output.JoinNotes(note, w.together), w.many)
}
