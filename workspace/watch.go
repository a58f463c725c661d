package workspace

import (
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/changes"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
	"github.com/agent-sidecar/agent-sidecar/workspace/search"
)

// follower follows what commands change.
type follower struct {
	*places
	*checkpoints
	*sandboxRuns
	lock  *sync.Mutex // documents.changing
	spool spool       // guarded by lock
}

// watch follows what one command changes, and keeps what an undo needs of it.
type watch struct {
	by    *follower
	files *changes.Watch

	once     sync.Once // guards the rest
	found    []tool.Change
	touched  map[string]bool // absolute paths of all files and links that are not as they were; false: perhaps
	together string          // what is to be said of other commands that ran meanwhile
	many     string          // what is to be said of more changes than are named; ""
}

// callOf names the call that a sink belongs to; nil belongs to none.
func callOf(sink tool.Sink) changes.Call {
	if sink == nil {
		return changes.Call{}
	}
	return changes.Call{Line: sink.Line(), ID: sink.CallID()}
}

// watchFiles begins to follow the files for a call. nil follows nothing: without a home
// nothing can be kept.
func (f *follower) watchFiles(call changes.Call) *watch {
	if f.home == "" || f.disk.Frozen() || len(f.Roots()) == 0 {
		return nil
	}
	f.lock.Lock() // no call of ours changes something meanwhile
	f.openSpool()
	w := &watch{by: f, files: f.tracker.Begin(call, f.followed())}
	f.lock.Unlock()
	w.files.Read()
	return w
}

// end stops following and says what changed, again and again the same. What other
// commands that run meanwhile see of it later is not theirs then.
func (w *watch) end() []tool.Change {
	if w == nil {
		return nil
	}
	w.once.Do(func() {
		w.files.StopReading()
		w.by.lock.Lock()
		defer w.by.lock.Unlock()
		found := w.files.End(w.by.followed())
		w.touched = map[string]bool{}
		for _, d := range found.Files {
			w.touched[d.Path] = d.Sure()
		}
		w.found = w.changes(found)
		w.together = w.besides(found)
	})
	return w.found
}

// runsOn is end where the command goes on, followed by nobody.
func (w *watch) runsOn() []tool.Change {
	if w != nil {
		w.files.RunsOn()
	}
	return w.end()
}

// over is end where the command has ended.
func (w *watch) over() []tool.Change {
	found := w.end()
	if w != nil {
		w.files.Over()
	}
	return found
}

// tracked is what is followed, nil when nothing is.
func (w *watch) tracked() *changes.Watch {
	if w == nil {
		return nil
	}
	return w.files
}

// followed are the folders, with what in them is followed while a command runs.
func (f *follower) followed() []changes.Folder {
	var out []changes.Folder
	for _, root := range f.Roots() {
		p, err := f.locate(root, true)
		if err != nil {
			continue
		}
		rules, free := f.rulesFor(p)
		if free { // the person opened what git ignores: nothing of it is left out
			rules = nil
		}
		out = append(out, changes.Folder{Path: root, Rules: &watchRules{f.places, rules}})
	}
	return out
}

// watchRules say what is nobody's business while a command runs.
type watchRules struct {
	in     *places
	ignore *search.Rules
}

// Skips says that a name is ignored, hidden from tools, git's own, ours, or where
// the person's home keeps keys.
func (r *watchRules) Skips(path string, dir bool) bool {
	base := filepath.Base(path)
	if base == ".git" || dir && (base == r.in.artifactDir || path == r.in.home) {
		return true
	}
	if rel, in := pathname.Below(r.in.userHome, path); r.in.userHome != "" && in && slices.Contains(sandbox.SecretPlaces, rel) {
		return true
	}
	ignored, hidden := r.ignore.Ignored(path, dir)
	return ignored || hidden
}

// In are the rules with those of the ignore files in dir. A folder's own are in its
// rules already.
func (r *watchRules) In(dir string, entries []fs.DirEntry) (rules changes.Rules, own bool) {
	if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return search.IsIgnoreFile(e.Name()) }) {
		return r, false
	}
	if r.ignore.Of(dir) {
		return r, true
	}
	ignore := r.ignore.Enter(dir, true)
	if ignore == r.ignore {
		return r, true
	}
	return &watchRules{r.in, ignore}, true
}

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
		name := w.by.asSeen(d.Path).Display()
		for _, other := range d.With {
			if own[name] {
				shared[other] = append(shared[other], name)
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(found.Claimed)) {
		to, other := counted, found.Claimed[path]
		name := w.by.asSeen(path).Display()
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

// maxListed bounds how many paths a note names.
const maxListed = 20

func listed(lines []string) string {
	more := ""
	if len(lines) > maxListed {
		more = fmt.Sprintf(" and %d more", len(lines)-maxListed)
		lines = lines[:maxListed]
	}
	return pathname.Printable(strings.Join(lines, ", ")) + more
}
